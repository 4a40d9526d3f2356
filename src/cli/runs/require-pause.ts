import type { Client } from '../../client/client.ts';
import { pauseOf } from '../../terms/run-outcome.ts';
import { Failure } from '../terminal/failure.ts';

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
