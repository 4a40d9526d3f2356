import type { Client } from '../../client/client.ts';
import type { RunProgress } from '../../client/run-progress.ts';
import { outcomeOf, type Pause, pauseOf } from '../../terms/run-outcome.ts';
import { EXIT } from '../terminal/exit-codes.ts';
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
