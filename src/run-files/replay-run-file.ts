import { randomUUID } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { readableState } from '../client/readable-state.ts';
import { archiveOf, exportThreads, importThreads, type ThreadLine } from '../client/thread-archive.ts';
import type { Divergence, RecordingLine, ReplayReport } from '../contract/agent-server/exchanges.ts';
import { Masker, type SecretValue } from '../replay/mask.ts';
import { RunFileError } from '../replay/read-run-file.ts';
import type { Kinds, RunError, RunFileHead, RunFileLine, SavedEnd, SavedRun } from '../replay/run-file.ts';
import { readError } from './make-run-file.ts';
import { isOfTheLoop, nodeOf, SuperstepOrder, withNames } from './superstep-order.ts';

/**
 * Opens the file from its beginning; may be called repeatedly. @param kinds the lines that are wanted; all by
 * default
 */
export type OpenLines = (kinds?: Kinds) => AsyncIterable<RunFileLine>;

export interface ReplayOptions {
  readonly tools: 'recorded' | 'live';
  /** Sends requests that were not recorded. */
  readonly allowNew: boolean;
  /** Secrets that are masked in the values before they are compared. */
  readonly secrets: readonly SecretValue[];
  readonly signal: AbortSignal;
  /** The outline of the file, where it has been read. */
  readonly outline?: RunFileOutline;
  /** The state to begin with, instead of that of the file's first run. */
  readonly from?: StartState | undefined;
  /** The tracing project of the replay; by default that of the deployment. */
  readonly tracingProject?: string;
  /** Called when the thread of the replay has been created. */
  readonly onThread?: (threadId: string) => void;
}

/** How a run ended. */
export interface RunEnd {
  readonly status: string;
  /** Why it failed, if known. */
  readonly error?: RunError | undefined;
}

/** How a recorded run ended, and how its replay did. */
export interface Ends {
  readonly recorded: RunEnd | undefined;
  readonly now: RunEnd;
}

/** How a replay compares to its file; the first difference. */
export type ReplayOutcome = (
  | { readonly kind: 'same' }
  | { readonly kind: 'diverged'; readonly divergence: Divergence }
  /** It ended differently, or with another error. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'unused'; readonly unused: ReplayReport['unused'] }
  | { readonly kind: 'steps'; readonly recorded: SavedEnd['steps']; readonly now: SavedEnd['steps'] }
  | { readonly kind: 'values'; readonly recorded: unknown; readonly now: unknown }
) &
  Readonly<Done>;

interface Done {
  threadId: string;
  runId: string;
  answered: number;
  live: number;
  /** Whether requests that were not recorded were sent, because that was allowed. */
  isNew: boolean;
  /** The end of the run that was compared last; undefined before the first. */
  ends: Ends | undefined;
}

const BATCH_CHARACTERS = 4_000_000;

const OUTLINE: Kinds = new Set(['agentrun', 'run', 'run_end']);
const OUTLINE_AND_SPANS: Kinds = new Set([...OUTLINE, 'span']);
const STATES: Kinds = new Set(['checkpoint', 'write']);
const THREAD: Kinds = new Set(['thread', 'checkpoint', 'value', 'write']);
const RECORDING: Kinds = new Set(['exchange', 'exchange_part']);

/** The runs of a run file, without their exchanges and states. */
export interface RunFileOutline {
  readonly head: RunFileHead;
  readonly runs: readonly SavedRun[];
  /** How the runs ended, by their IDs. */
  readonly ends: ReadonlyMap<string, SavedEnd>;
}

/**
 * Reads the file once.
 * @param onSpan called with the spans of its traces, which are skipped without it
 * @throws RunFileError
 */
export async function readOutline(
  open: OpenLines,
  onSpan?: (span: SavedSpan) => void,
): Promise<RunFileOutline> {
  let head: RunFileHead | undefined;
  const runs: SavedRun[] = [];
  const ends = new Map<string, SavedEnd>();
  for await (const line of open(onSpan === undefined ? OUTLINE : OUTLINE_AND_SPANS)) {
    if (line.kind === 'agentrun') head = line;
    else if (line.kind === 'run') runs.push(line);
    else if (line.kind === 'run_end') ends.set(line.run_id, line);
    else if (line.kind === 'span') onSpan?.(line.span);
  }
  if (head === undefined || runs.length === 0) throw new RunFileError('it has no run.');
  return { head, runs, ends };
}

/** A span of a trace in a run file. */
export type SavedSpan = Extract<RunFileLine, { readonly kind: 'span' }>['span'];

/** A state of a run file, from which its runs continue. */
export interface StartState {
  readonly checkpointId: string;
  /** Which of the file's runs made it, from 0. */
  readonly run: number;
}

/** A state that a run of a file made. */
export interface MadeState extends StartState {
  /** -1 for the input of a new thread. */
  readonly step: number;
  readonly createdAt: string;
  /** The nodes that made it, and those that ran next. */
  readonly nodes: readonly string[];
  readonly next: readonly string[];
}

/** The states that the runs of a file made, oldest first. @throws RunFileError */
export async function readStates(
  open: OpenLines,
  { runs }: Pick<RunFileOutline, 'runs'>,
): Promise<MadeState[]> {
  const states: (Omit<MadeState, 'nodes' | 'next'> & { readonly parent: string | null })[] = [];
  const ran = new Map<string, Set<string>>();
  for await (const line of open(STATES)) {
    if ((line.kind !== 'checkpoint' && line.kind !== 'write') || line.checkpoint_ns !== '') continue;
    const { checkpoint_id: checkpointId } = line;
    if (line.kind === 'write') {
      if (!isOfTheLoop(line)) ran.set(checkpointId, (ran.get(checkpointId) ?? new Set()).add(nodeOf(line)));
      continue;
    }
    const run = runs.findIndex(({ run_id }) => run_id === line.run_id);
    const { created_at: createdAt, metadata, parent_checkpoint_id: parent } = line;
    if (run >= 0) states.push({ checkpointId, run, step: Number(metadata.step), createdAt, parent });
  }
  const nodesAfter = (checkpointId: string | null) =>
    [...(ran.get(checkpointId ?? '') ?? [])].filter((node) => node !== '__start__').sort();
  return states.map(({ parent, ...state }) => ({
    ...state,
    nodes: nodesAfter(parent),
    next: nodesAfter(state.checkpointId),
  }));
}

/** @throws RunFileError when no run of the file made the state; it lists those that they made */
export async function findStart(
  open: OpenLines,
  outline: Pick<RunFileOutline, 'runs'>,
  checkpointId: string,
): Promise<MadeState> {
  const states = await readStates(open, outline);
  const found = states.find((state) => state.checkpointId === checkpointId);
  if (found !== undefined) return found;
  const made = states.map(({ checkpointId: id, step }) => `  ${id} (step ${step})`);
  throw new RunFileError(`its runs made no state ${checkpointId}. They made:\n${made.join('\n')}`);
}

/**
 * Runs the saved runs of a file again, on a thread of its own, and compares them.
 * @throws RunFileError, RequestError
 */
export async function replayRunFile(
  client: Client,
  open: OpenLines,
  options: ReplayOptions,
): Promise<ReplayOutcome> {
  const { signal, tools, allowNew, from } = options;
  const { head, runs, ends } = options.outline ?? (await readOutline(open));
  const threadId = randomUUID();
  const hasHistory = from !== undefined || runs[0]?.start !== null;
  await makeThread(client, open, threadId, hasHistory, head.graph_id, signal);
  options.onThread?.(threadId);
  await addRecordings(client, open, threadId, signal);
  const done: Done = { threadId, runId: '', answered: 0, live: 0, isNew: false, ends: undefined };
  const runIds: string[] = [];
  for (const [at, saved] of runs.slice(from?.run ?? 0).entries()) {
    const goesOn = at === 0 && from !== undefined;
    const replayed = at === 0 ? saved : { ...saved, start: null };
    const params = await startReplay(client, threadId, replayed, { graphId: head.graph_id, goesOn, options });
    runIds.push(params.run_id);
    await client.runs.join({ params }, { signal });
    const report = await client.recordings.readReplay({ params }, { signal });
    done.runId = params.run_id;
    done.answered += report.answered;
    done.live += report.live;
    const { divergence, unused } = report;
    if (divergence !== null) done.isNew = true;
    done.ends = await readEnds(client, params, ends.get(saved.run_id), options);
    if (divergence !== null && !allowNew) return { ...done, kind: 'diverged', divergence };
    if (endedOtherwise(done.ends)) return { ...done, kind: 'ended' };
    // Recorded requests from before the given state are not repeated.
    if (unused.length > 0 && tools === 'recorded' && !allowNew && !goesOn)
      return { ...done, kind: 'unused', unused };
  }
  const recorded = ends.get(runs.at(-1)?.run_id ?? '');
  return { ...done, ...(await compareEnds(client, threadId, runIds, recorded, options)) };
}

/** @param goesOn whether the run continues from a state instead of starting from its input */
async function startReplay(
  client: Client,
  threadId: string,
  saved: SavedRun,
  { graphId, goesOn, options }: { graphId: string; goesOn: boolean; options: ReplayOptions },
): Promise<{ thread_id: string; run_id: string }> {
  const { signal, tools, allowNew, from, tracingProject } = options;
  const start = goesOn ? (from?.checkpointId ?? saved.start) : saved.start;
  const params = { thread_id: threadId };
  const body = {
    assistant_id: graphId,
    ...requestOf(goesOn ? { ...saved, input: null, command: null } : saved),
    ...(start === null ? {} : { checkpoint_id: start }),
    replay: { run_id: saved.run_id, tools, allow_new: allowNew },
    ...(tracingProject === undefined ? {} : { langsmith_tracer: { project_name: tracingProject } }),
  };
  const { run_id } = await client.runs.create({ params, body }, { signal });
  return { ...params, run_id };
}

async function readEnds(
  client: Client,
  params: { readonly thread_id: string; readonly run_id: string },
  saved: SavedEnd | undefined,
  { secrets, signal }: ReplayOptions,
): Promise<Ends> {
  const recorded = saved && { status: saved.status, error: saved.error ?? undefined };
  const { status } = await client.runs.get({ params }, { signal });
  if (status !== 'error') return { recorded, now: { status } };
  const error = await readError(client, params.thread_id, new Masker(secrets), { signal });
  return { recorded, now: { status, error } };
}

/** Errors are compared where both are known. */
function endedOtherwise({ recorded, now }: Ends): boolean {
  if (recorded === undefined) return false;
  if (recorded.status !== now.status) return true;
  return recorded.error !== undefined && now.error !== undefined && !isSameError(recorded.error, now.error);
}

/** The request that repeats a saved run. */
export function requestOf({ input, command, kind: _, run_id: _id, start: _start, ...asked }: SavedRun) {
  return {
    ...(command === null || command === undefined ? { input } : { command: Object(command) }),
    ...asked,
  };
}

async function compareEnds(
  client: Client,
  threadId: string,
  runIds: readonly string[],
  recorded: SavedEnd | undefined,
  { secrets, signal, from }: ReplayOptions,
) {
  if (recorded === undefined) throw new RunFileError('it does not say how its run ended.');
  const order = new SuperstepOrder(runIds);
  for await (const line of exportThreads(client, [threadId], { signal })) {
    if (line.kind === 'checkpoint' || line.kind === 'write') order.add(line);
  }
  const steps = order.steps();
  const all = withNames(recorded.steps);
  const expected = from === undefined ? all : lastOf(all, steps);
  if (JSON.stringify(steps) !== JSON.stringify(expected)) {
    return { kind: 'steps' as const, recorded: expected, now: steps };
  }
  const state = await readableState(client, { thread_id: threadId }, { signal });
  const masked = new Masker(secrets).json(state?.values ?? null);
  return textOf(masked) === textOf(recorded.values)
    ? { kind: 'same' as const }
    : { kind: 'values' as const, recorded: recorded.values, now: masked };
}

/** The same class and message; addresses, IDs and secrets, which differ each time, do not count. */
export function isSameError(one: RunError, other: RunError): boolean {
  return one.error === other.error && withoutChance(one.message) === withoutChance(other.message);
}

function withoutChance(message: string): string {
  return message
    .replace(/\b0x[0-9a-f]{6,}\b/gi, '0x')
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, 'id')
    .replace(/\*{4,}/g, '***');
}

/** The last supersteps of each graph, as many as the other run has. */
function lastOf(all: SavedEnd['steps'], others: SavedEnd['steps']): SavedEnd['steps'] {
  const lasts = Object.entries(others).map(([graph, { length }]) => {
    const steps = all[graph] ?? [];
    return [graph, steps.slice(Math.max(0, steps.length - length))];
  });
  return Object.fromEntries(lasts);
}

/** Another secret may be longer. */
function textOf(values: unknown): string {
  return JSON.stringify(values).replace(/\*{4,}/g, '***');
}

/**
 * The thread on which the runs of a file are replayed.
 * @param hasHistory whether it starts from the file's states instead of empty
 */
export async function makeThread(
  client: Client,
  open: OpenLines,
  threadId: string,
  hasHistory: boolean,
  graphId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!hasHistory) {
    await client.threads.create(
      { body: { thread_id: threadId, metadata: { graph_id: graphId } } },
      { signal },
    );
    return;
  }
  await importRunFile(client, open, threadId, signal);
}

/**
 * Puts the thread of a run file on a server, to be continued or forked there.
 * @throws RunFileError when it has none, RequestError.
 */
export async function importRunFile(
  client: Client,
  open: OpenLines,
  threadId: string,
  signal: AbortSignal,
): Promise<void> {
  const newId = () => threadId;
  for await (const { status, error } of importThreads(client, archiveOf(threadLines(open(THREAD))), {
    signal,
    newId,
  })) {
    if (status === 'failed') throw error;
    return;
  }
  throw new RunFileError('it has no thread.');
}

async function* threadLines(lines: AsyncIterable<RunFileLine>): AsyncGenerator<ThreadLine, void, undefined> {
  for await (const line of lines) {
    if (
      line.kind === 'thread' ||
      line.kind === 'checkpoint' ||
      line.kind === 'value' ||
      line.kind === 'write'
    ) {
      yield line;
    }
  }
}

/** Stores the recorded exchanges of a file's runs on a thread, so that its runs are answered from them. */
export function addRecordings(
  client: Pick<Client, 'recordings'>,
  open: OpenLines,
  threadId: string,
  signal: AbortSignal,
): Promise<void> {
  return addRecordingLines(client, recordingLines(open(RECORDING)), threadId, signal);
}

async function* recordingLines(
  lines: AsyncIterable<RunFileLine>,
): AsyncGenerator<RecordingLine, void, undefined> {
  for await (const line of lines) {
    if (line.kind === 'exchange' || line.kind === 'exchange_part') yield line;
  }
}

/** Adds the lines of a recording from another server. @throws RequestError */
export async function addRecordingLines(
  client: Pick<Client, 'recordings'>,
  lines: AsyncIterable<RecordingLine> | Iterable<RecordingLine>,
  thread_id: string,
  signal: AbortSignal,
): Promise<void> {
  let batch: RecordingLine[] = [];
  let characters = 0;
  const send = async () => {
    const [first] = batch;
    if (first === undefined) return;
    const params = { thread_id, run_id: first.run_id };
    await client.recordings.addRecording({ params, body: { exchanges: batch } }, { signal });
    batch = [];
    characters = 0;
  };
  for await (const line of lines) {
    if (batch[0] !== undefined && batch[0].run_id !== line.run_id) await send();
    batch.push(line);
    characters += sizeOf(line);
    if (characters >= BATCH_CHARACTERS) await send();
  }
  await send();
}

function sizeOf(line: RecordingLine): number {
  const { chunks = [] } = line.kind === 'exchange' ? (line.response ?? {}) : line;
  const asked = line.kind === 'exchange' ? (line.request.body?.data.length ?? 0) : 0;
  return chunks.reduce((total, chunk) => total + chunk.length, asked);
}
