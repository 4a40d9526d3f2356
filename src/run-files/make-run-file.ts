import type { Client } from '../client/client.ts';
import { eachPage } from '../client/each-page.ts';
import { exportThreads } from '../client/export-threads.ts';
import { readableState } from '../client/readable-state.ts';
import type { CallOptions } from '../client/transport.ts';
import type { ArchivedRecord } from '../contract/agent-server/archive.ts';
import { FailedRun, RunError } from '../contract/agent-server/runs.ts';
import { JsonObject } from '../contract/fields.ts';
import type { Feedback } from '../contract/tracing/feedback.ts';
import { Masker } from '../replay/mask.ts';
import { maskRecording } from '../replay/mask-parts.ts';
import { RUN_FILE_VERSION, type RunFileLine } from '../replay/run-file.ts';
import { interruptsOf } from '../terms/run-outcome.ts';
import type { DescribedProject } from './describe-project.ts';
import { findRecordedRuns, type StoredRun } from './recorded-runs.ts';
import { type Bounds, findBounds } from './run-bounds.ts';
import { settingsOf } from './run-settings.ts';
import { SuperstepOrder } from './superstep-order.ts';
import { waitForTrace } from './wait-for-trace.ts';

/** The number of spans in one request. */
const SPAN_PAGE = 100;

export interface SavedRunRef {
  readonly threadId: string;
  readonly runId: string;
  readonly graphId: string;
}

export interface SaveOptions {
  readonly project: DescribedProject;
  readonly signal: AbortSignal;
}

/**
 * Yields the lines of a run file for a recorded run, with one page in memory at a time: the run and the runs that it
 * continues, their exchanges, the history of their thread, their spans and feedback.
 * @throws while iterating: RunFileError when the run was not recorded or has not ended, RequestError, the signal's reason
 */
export async function* makeRunFile(
  client: Client,
  ref: SavedRunRef,
  { project: { git, secrets, variables }, signal }: SaveOptions,
): AsyncGenerator<RunFileLine, void, undefined> {
  const options: CallOptions = { signal };
  const masker = new Masker(secrets);
  const runs = await findRecordedRuns(client, ref, options);
  const bounds = await findBounds(client, ref.threadId, signal);
  yield {
    kind: 'agentrun',
    version: RUN_FILE_VERSION,
    created_at: new Date().toISOString(),
    graph_id: ref.graphId,
    git,
    variables,
  };
  for (const run of runs) {
    yield runLine(run, bounds.get(run.runId)?.start ?? null, masker);
    yield* maskRecording(listExchanges(client, ref.threadId, run.runId, options), masker);
  }
  const order = new SuperstepOrder(runs.map(({ runId }) => runId));
  for await (const line of exportThreads(client, [ref.threadId], { signal })) {
    if (line.kind === 'archive' || line.kind === 'end') continue;
    if (line.kind === 'thread') {
      yield { kind: 'thread', thread: { ...line.thread, ...maskedThread(line.thread, masker) } };
      continue;
    }
    order.add(line);
    yield maskRecord(line, masker);
  }
  yield* runEnds(client, ref.threadId, { runs, bounds, steps: order.steps(), masker }, options);
  for (const run of runs) {
    await waitForTrace(client, run, { signal });
    yield* traceLines(client, run.runId, masker, options);
  }
}

interface EndedRuns {
  readonly runs: Awaited<ReturnType<typeof findRecordedRuns>>;
  readonly bounds: ReadonlyMap<string, Bounds>;
  readonly steps: ReturnType<SuperstepOrder['steps']>;
  readonly masker: Masker;
}

/** Yields how each run of a thread ended. The last line has the supersteps of all runs. */
async function* runEnds(
  client: Client,
  thread_id: string,
  { runs, bounds, steps, masker }: EndedRuns,
  options: CallOptions,
): AsyncGenerator<RunFileLine, void, undefined> {
  // A run that is interrupted immediately has no checkpoint, so it ends with the state of the previous run.
  let checkpoint: string | undefined;
  for (const [at, run] of runs.entries()) {
    const { runId: run_id } = run;
    checkpoint = bounds.get(run_id)?.end ?? checkpoint;
    const state =
      checkpoint === undefined
        ? undefined
        : await readableState(client, { thread_id, checkpoint_id: checkpoint }, options);
    const error =
      run.status === 'error' ? await readError(client, { thread_id, run_id }, masker, options) : undefined;
    yield {
      kind: 'run_end',
      run_id,
      status: run.status,
      waits: state !== undefined && interruptsOf(state).length > 0,
      next: state?.next ?? [],
      values: masker.json(state?.values ?? null),
      ...(error === undefined ? {} : { error }),
      steps: at === runs.length - 1 ? steps : {},
    };
  }
}

/** Reads why a run failed, without secrets. @returns undefined if it did not fail. @throws RequestError */
export async function readError(
  { runs }: Pick<Client, 'runs'>,
  params: { readonly thread_id: string; readonly run_id: string },
  masker: Masker,
  options: CallOptions,
): Promise<RunError | undefined> {
  const failed = FailedRun.safeParse(await runs.join({ params }, options)).data;
  return failed && RunError.parse(masker.json(failed.__error__));
}

/** Lists the exchanges of a run in the order of its requests. @throws RequestError while iterating */
async function* listExchanges(
  { recordings }: Pick<Client, 'recordings'>,
  thread_id: string,
  run_id: string,
  options: CallOptions,
) {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? {} : { cursor };
    const page = await recordings.readRecording({ params: { thread_id, run_id }, query }, options);
    yield* page.exchanges;
    cursor = page.next;
  }
}

function runLine({ runId, kwargs }: StoredRun, start: string | null, masker: Masker): RunFileLine {
  const { context, config, ...settings } = settingsOf(kwargs);
  return {
    kind: 'run',
    run_id: runId,
    input: masker.json(kwargs.input ?? null),
    command: masker.json(kwargs.command ?? null),
    context: JsonObject.parse(masker.json(context)),
    config: JsonObject.parse(masker.json(config)),
    ...settings,
    start,
  };
}

function maskedThread(
  thread: { metadata: JsonObject; values?: unknown; interrupts?: unknown },
  masker: Masker,
) {
  return {
    metadata: JsonObject.parse(masker.json(thread.metadata)),
    values: masker.json(thread.values),
    interrupts: JsonObject.nullish().parse(masker.json(thread.interrupts)),
    config: {},
  };
}

function maskRecord(record: ArchivedRecord, masker: Masker): ArchivedRecord {
  if (record.kind === 'checkpoint') {
    const metadata = JsonObject.parse(masker.json(record.metadata));
    return { ...record, checkpoint: maskData(record.checkpoint, masker), metadata };
  }
  return { ...record, value: maskData(record.value, masker) };
}

type Data = Extract<ArchivedRecord, { kind: 'value' }>['value'];

function maskData({ type, encoding, data }: Data, masker: Masker): Data {
  if (encoding === 'utf8') return { type, encoding, data: masker.text(data) };
  const masked = masker.bytes(Buffer.from(data, 'base64'));
  return { type, encoding, data: Buffer.from(masked).toString('base64') };
}

/**
 * Yields the spans and the feedback of a run, without either if it cannot be read.
 * @throws RequestError if only a part of the spans can be read; the signal's reason when aborted
 */
async function* traceLines(
  { tracing }: Pick<Client, 'tracing'>,
  runId: string,
  masker: Masker,
  options: CallOptions,
): AsyncGenerator<RunFileLine, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const body = { trace: runId, order: 'asc' as const, limit: SPAN_PAGE, cursor: cursor ?? null };
    const isFirst = cursor === undefined;
    const page = await tracing.runs.query({ body }, options).catch((error: unknown) => {
      // A run file is complete without its trace, but not with a part of it.
      if (!isFirst || options.signal?.aborted) throw error;
      return undefined;
    });
    if (page === undefined) return;
    for (const span of page.runs) {
      yield { kind: 'span', span: JsonObject.parse(masker.json(withoutPreviews(span))) };
    }
    cursor = page.cursors.next ?? null;
  }
  const idOf = ({ id }: Feedback) => id;
  const pages = eachPage({ idOf }, (page) =>
    tracing.feedback.list({ query: { ...page, run: [runId] } }, options).catch((error: unknown) => {
      // A run file is complete without feedback, too, but not with a part of it.
      if (page.offset > 0 || options.signal?.aborted) throw error;
      return [];
    }),
  );
  for await (const page of pages) {
    for (const feedback of page)
      yield {
        kind: 'feedback',
        feedback: JsonObject.parse(masker.json(JSON.parse(JSON.stringify(feedback)))),
      };
  }
}

/** Removes the previews of a span, because a secret that they cut off would not be masked. */
function withoutPreviews(span: object): JsonObject {
  const {
    inputs_preview: _inputs,
    outputs_preview: _outputs,
    ...whole
  } = JsonObject.parse(JSON.parse(JSON.stringify(span)));
  return whole;
}
