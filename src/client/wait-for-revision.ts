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
   * How long the server may be unreachable, fail, or not know the revision, before that counts as a failure; ms.
   */
  readonly maxOutageMs?: number | undefined;
}

/**
 * A revision ended with a status other than DEPLOYED; the message names it, and the reason where the server reports
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
 * Waits until a revision is live. Only DEPLOYED is success. A passing 404 (a revision just made, a replica that is
 * behind), 5xx or lost connection is tolerated.
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
  let troubleSince: number | undefined;
  for (;;) {
    await beforePoll?.();
    try {
      const revision = await calls.get({ params }, { signal, retries: 0 });
      troubleSince = undefined;
      if (revision.status !== seen) {
        seen = revision.status;
        pauseMs = FIRST_DELAY_MS;
        onStatus?.(revision);
      }
      if (revision.status === 'DEPLOYED') return revision;
      if (isTerminal(revision.status)) throw new RevisionFailedError(revision);
    } catch (error) {
      if (!isPassing(error)) throw error;
      troubleSince ??= performance.now();
      if (performance.now() - troubleSince > maxOutageMs) throw error;
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

function isPassing(error: unknown): boolean {
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
