import type { Client } from '../client/client.ts';
import { type ErrorPlace, errorPlace } from '../client/error-frames.ts';
import { readErrorStack } from '../client/read-error-stack.ts';
import { readableState } from '../client/readable-state.ts';
import { readTrace } from '../evaluation/read-trace.ts';
import { type EvaluatorReference, type Score, scoreRun } from '../evaluation/score-run.ts';
import { failuresOf } from '../evaluation/verdict.ts';
import { isObject } from '../process/objects.ts';
import type { ReplayOutcome } from '../run-files/replay-outcome.ts';
import { type ReplayOptions, replayRunFile } from '../run-files/replay-run-file.ts';
import type { RunFileOutline } from '../run-files/run-file-outline.ts';
import type { RecordedRun } from './recorded-run.ts';
import { isFailure, isProved, type Verdict, verdictOf } from './verdict.ts';

/** The project's current code, on which the run is replayed. */
export interface LoadedProject {
  readonly client: Client;
  readonly deploymentId: string;
}

export interface ProveOptions extends Pick<ReplayOptions, 'tools' | 'allowNew' | 'secrets' | 'signal'> {
  /** The evaluators that decide whether the result of a run is right; none when only failures count. */
  readonly evaluators: readonly EvaluatorReference[];
  /** Whether to keep the thread of the replay, which is deleted otherwise. */
  readonly keep?: boolean;
}

/** The verdict on a recorded run that was replayed on the current code, and its evidence. */
export interface Proof {
  readonly verdict: Verdict;
  readonly isProved: boolean;
  readonly outcome: ReplayOutcome;
  readonly graphId: string;
  /** Where the recorded run failed, and where it fails now. */
  readonly places: { readonly recorded?: ErrorPlace | undefined; readonly now?: ErrorPlace | undefined };
  /** Scores from evaluators, for the recorded run and for the replay. */
  readonly scores: { readonly recorded: readonly Score[]; readonly now: readonly Score[] };
}

/** The project for traces of replays, so that they are not mixed with other runs. */
const TRACING_PROJECT = 'replays';
/** How long one evaluator may take. */
const EVALUATOR_MS = 60_000;
/** Stands in for the ID of an example, because a recorded run has none. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Replays a recorded run on a project's code with the recorded answers, and decides whether its fault is gone.
 * @throws RunFileError, RequestError; the signal's reason when aborted
 */
export async function prove(
  project: LoadedProject,
  { open, outline, place }: RecordedRun,
  options: ProveOptions,
): Promise<Proof> {
  const { client } = project;
  const { signal, keep } = options;
  let threadId: string | undefined;
  try {
    const outcome = await replayRunFile(client, open, {
      ...options,
      outline,
      tracingProject: TRACING_PROJECT,
      onThread: (id) => {
        threadId = id;
      },
    });
    const { recorded, now } = await scoreBoth(project, outline, outcome, options);
    const verdict = verdictOf(outcome, recorded && failures(recorded), now && failures(now));
    const fails = verdict === 'still_failing' || verdict === 'another_failure';
    const stack =
      fails && hasFailed(outcome) ? await readErrorStack(client, outcome.runId, signal) : undefined;
    return {
      verdict,
      isProved: isProved(verdict),
      outcome,
      graphId: outline.head.graph_id,
      places: {
        recorded: place,
        now: stack === undefined ? undefined : errorPlace(stack),
      },
      scores: { recorded: recorded ?? [], now: now ?? [] },
    };
  } finally {
    if (threadId !== undefined && keep !== true) {
      // A thread that could not be deleted does not change the result.
      await client.threads.delete({ params: { thread_id: threadId } }).catch(() => {});
    }
  }
}

function hasFailed({ ends }: ReplayOutcome): boolean {
  return isFailure(ends?.now.status);
}

function failures(scores: readonly Score[]): readonly string[] {
  return failuresOf({ error: undefined, scores }, { pass: {} });
}

/**
 * Scores the recorded run and the replay. A run that failed has no result to score, and a replay that diverged has
 * nothing to compare with.
 * @returns undefined for a run that was not scored
 */
async function scoreBoth(
  project: LoadedProject,
  { runs, ends }: RunFileOutline,
  outcome: ReplayOutcome,
  { evaluators, signal }: ProveOptions,
): Promise<{ readonly recorded?: Score[]; readonly now?: Score[] }> {
  if (outcome.kind === 'diverged' || evaluators.length === 0) return {};
  const inputs = fieldsOf(runs[0]?.input);
  const score = (run: Omit<Scored, 'inputs'>) => scoreEnd(project, evaluators, { ...run, inputs }, signal);
  const scores: { recorded?: Score[]; now?: Score[] } = {};
  if (!hasFailed(outcome)) {
    const outputs = fieldsOf(await readValues(project.client, outcome, signal));
    scores.now = await score({ runId: outcome.runId, outputs, wasTraced: true });
  }
  if (outcome.ends?.recorded?.status === 'success') {
    const runId = runs.at(-1)?.run_id ?? '';
    const outputs = fieldsOf(ends.get(runId)?.values);
    scores.recorded = await score({ runId, outputs, wasTraced: false });
  }
  return scores;
}

/** The run that evaluators score. */
interface Scored {
  readonly runId: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
  /** Whether its trace is on this platform. */
  readonly wasTraced: boolean;
}

async function scoreEnd(
  { client, deploymentId }: LoadedProject,
  evaluators: readonly EvaluatorReference[],
  { runId, inputs, outputs, wasTraced }: Scored,
  signal: AbortSignal,
): Promise<Score[]> {
  return scoreRun(
    client,
    {
      deploymentId,
      evaluators,
      timeoutMs: EVALUATOR_MS,
      exampleId: NO_ID,
      datasetId: NO_ID,
      example: { inputs },
      // How long the run took is unknown.
      run: { runId, outputs, error: undefined, durationMs: 0 },
      trace: wasTraced ? await readTrace(client, runId, signal) : undefined,
    },
    signal,
  );
}

async function readValues(
  client: Client,
  { threadId }: ReplayOutcome,
  signal: AbortSignal,
): Promise<unknown> {
  return (await readableState(client, { thread_id: threadId }, { signal }))?.values;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? { ...value } : { value };
}
