import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, type Revision, type revisions } from '../contract/control-plane/revisions.ts';
import type { Calls } from './calls.ts';
import { RequestError } from './request-error.ts';

const FIRST_DELAY_MS = 250;
const MAX_PAUSE_MS = 5_000;
const DELAY_GROWTH = 1.5;

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once with each status of the revision. */
  readonly onStatus?: ((revision: Revision) => void) | undefined;
  /** Called before every poll, for example to read the log. */
  readonly beforePoll?: (() => Promise<void>) | undefined;
  /** Waits before the next poll, for this many ms or until a change is announced. */
  readonly pause?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /**
   * How long the server may be unreachable, fail, or not know the revision, in milliseconds, before the wait fails.
   */
  readonly maxOutageMs?: number | undefined;
}

/**
 * A revision ended with a status other than DEPLOYED. The message has the status, and the reason if the server reports
 * one.
 */
export class RevisionFailedError extends Error {
  override readonly name = 'RevisionFailedError';
  readonly revision: Revision;
  constructor(revision: Revision) {
    const why = revision.status_message ? `: ${revision.status_message}` : '.';
    super(`Revision ${revision.id} ended with ${revision.status}${why}`);
    this.revision = revision;
  }
}

/**
 * Waits until a revision is DEPLOYED. Temporary failures are tolerated: 5xx, lost connections, and 404, because a replica
 * may not know a new revision yet.
 * @throws RevisionFailedError; RequestError when the server refuses, or is unreachable for longer than
 *   `maxOutageMs`; the signal's reason when aborted.
 */
export async function waitForRevision(
  calls: Pick<Calls<typeof revisions>, 'get'>,
  params: { readonly deployment_id: string; readonly revision_id: string },
  options: WaitOptions = {},
): Promise<Revision> {
  const { signal, onStatus, beforePoll, pause = sleepFor, maxOutageMs = 120_000 } = options;
  let seen: string | undefined;
  let pauseMs = FIRST_DELAY_MS;
  let outageSince: number | undefined;
  for (;;) {
    await beforePoll?.();
    try {
      const revision = await calls.get({ params }, { signal, retries: 0 });
      outageSince = undefined;
      if (revision.status !== seen) {
        seen = revision.status;
        pauseMs = FIRST_DELAY_MS;
        onStatus?.(revision);
      }
      if (revision.status === 'DEPLOYED') return revision;
      if (isTerminal(revision.status)) throw new RevisionFailedError(revision);
    } catch (error) {
      if (!isTemporary(error)) throw error;
      outageSince ??= performance.now();
      if (performance.now() - outageSince > maxOutageMs) throw error;
    }
    await pause(pauseMs, signal);
    signal?.throwIfAborted();
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * DELAY_GROWTH);
  }
}

/** Returns early when the signal is aborted, which the caller checks. */
async function sleepFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  switch (error.problem) {
    case 'status': {
      const status = error.status ?? 0;
      return status === 404 || status === 408 || status === 429 || status >= 500;
    }
    case 'unreachable':
    case 'lost':
    case 'timeout':
      return true;
    case 'unreadable':
      return false;
  }
}
