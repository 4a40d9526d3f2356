import { CHANGES_SILENCE_MS, readChanges } from '../../client/changes.ts';
import type { Client } from '../../client/client.ts';
import { isHarbor } from '../../client/is-harbor.ts';
import { RequestError } from '../../client/request-error.ts';
import { isAnswer } from '../../client/retry.ts';
import type { Change } from '../../contract/harbor.ts';
import { pause } from '../../process/pause.ts';

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onChanges: (changes: readonly Change[]) => void;
  /** Called when the stream breaks. */
  readonly onLost?: () => void;
  /** Pause before the stream is opened again. */
  readonly pauseMs?: number;
}

/**
 * Reports the changes that a platform announces, until the signal is aborted. Only Agent Harbor servers
 * announce changes; for other platforms, which views poll, this returns at once.
 */
export async function followChanges(
  client: Client,
  { signal, onChanges, onLost, pauseMs = 5_000 }: FollowOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await isHarbor(client, { signal }))) return;
      const stream = await client.harbor.changes(
        { query: { client: 'vscode' } },
        { signal, retries: 0, silenceMs: CHANGES_SILENCE_MS },
      );
      for await (const changes of readChanges(stream)) onChanges(changes);
    } catch (error) {
      // A refusal is final: earlier versions, for example, have no such stream for remote clients.
      if (signal.aborted || (error instanceof RequestError && isAnswer(error))) return;
      onLost?.();
    }
    await pause(pauseMs, { signal, ref: false });
  }
}
