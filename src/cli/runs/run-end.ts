import type { Client } from '../../client/client.ts';
import type { RunProgress } from '../../client/run-progress.ts';
import { outcomeOf, type Pause, pauseOf } from '../../terms/run-outcome.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { Failure } from '../terminal/failure.ts';
import { ignoreRefusal } from './ignore-refusal.ts';

/** How a run has ended. */
export type RunEnd = HowEnded & {
  /** The values of the state, if the server returns it. */
  readonly values?: unknown;
};

type HowEnded = { readonly kind: 'failed' | 'cancelled' } | Pause;

export interface RunRef {
  readonly thread_id: string;
  readonly run_id: string;
}

/**
 * Reads how a run ended from its thread and from the run, because the streams of most modes do not say.
 * @param streamed what the stream says about the end, for servers that have nothing else
 * @throws RequestError when the server cannot be reached
 */
export async function readRunEnd(
  client: Client,
  { thread_id, run_id }: { readonly thread_id: string; readonly run_id: string | undefined },
  streamed: Pick<RunProgress, 'error' | 'interrupts'>,
  signal: AbortSignal,
): Promise<RunEnd> {
  const [state, run] = await Promise.all([
    ignoreRefusal(client.threads.getState({ params: { thread_id } }, { signal })),
    run_id === undefined
      ? undefined
      : ignoreRefusal(client.runs.get({ params: { thread_id, run_id } }, { signal })),
  ]);
  const outcome = outcomeOf(run ?? {}, state);
  const values = state?.values;
  if (streamed.error !== undefined || outcome === 'error' || outcome === 'timeout') {
    return { kind: 'failed', values };
  }
  if (outcome === 'cancelled') return { kind: 'cancelled', values };
  if (state !== undefined) return { ...pauseOf(state), values };
  const questions = [...streamed.interrupts].map(([id, value]) => ({ id, value }));
  return questions.length > 0 ? { kind: 'asks', questions } : { kind: 'done' };
}

/**
 * Makes sure that a thread waits for an answer, or can be continued, before the user answers or continues it.
 * @param wanted what the user is about to do: answer, or continue
 * @throws Failure when the thread does not wait for that
 */
export async function requirePause(
  client: Client,
  { threadId: thread_id, checkpointId }: { readonly threadId: string; readonly checkpointId?: string },
  wanted: 'answer' | 'continue',
  signal: AbortSignal,
): Promise<void> {
  const { threads } = client;
  const state = await (checkpointId === undefined
    ? threads.getState({ params: { thread_id } }, { signal })
    : threads.getStateAt({ params: { thread_id, checkpoint_id: checkpointId } }, { signal }));
  const pause = pauseOf(state);
  if (pause.kind === (wanted === 'answer' ? 'asks' : 'stopped')) return;
  const isEarlier = checkpointId !== undefined;
  // Continuing from an earlier state asks the question of that state again.
  if (pause.kind === 'asks' && isEarlier) return;
  const name = isEarlier ? `Checkpoint ${checkpointId}` : `Thread ${thread_id}`;
  if (pause.kind === 'asks') throw new Failure(`${name} is waiting for an answer. Pass it with --resume.`);
  if (pause.kind === 'stopped') {
    throw new Failure(
      `${name} is not waiting for an answer: it stopped before ${pause.next.join(', ')}. Use --continue.`,
    );
  }
  const { status } = await threads.get({ params: { thread_id } }, { signal });
  const notWaiting = wanted === 'answer' ? 'is not waiting for an answer' : 'has nothing left to run';
  throw new Failure(`${name} ${notWaiting}${isEarlier ? '' : ` (${status})`}.`);
}

/** `readRunEnd` for an earlier run. What the thread waits for now counts only if the run is its newest. */
export async function readEarlierRunEnd(
  client: Client,
  ref: RunRef,
  streamed: Pick<RunProgress, 'error' | 'interrupts'>,
  signal: AbortSignal,
): Promise<RunEnd> {
  const [end, newest] = await Promise.all([
    readRunEnd(client, ref, streamed, signal),
    ignoreRefusal(
      client.runs.list({ params: { thread_id: ref.thread_id }, query: { limit: 1 } }, { signal }),
    ),
  ]);
  const waits = end.kind === 'asks' || end.kind === 'stopped';
  const isNewest = newest?.[0]?.run_id === undefined || newest[0].run_id === ref.run_id;
  return waits && !isNewest ? { kind: 'done' } : end;
}

export function exitCodeOf({ kind }: RunEnd): number {
  switch (kind) {
    case 'done':
      return EXIT.ok;
    case 'failed':
    case 'cancelled':
      return EXIT.failed;
    case 'asks':
    case 'stopped':
      return EXIT.waiting;
  }
}
