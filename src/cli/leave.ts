import type { Dispatcher } from 'undici';
import type { Presence } from '../launcher/presence.ts';
import { waitForEnd } from '../launcher/process-life.ts';
import { clientOf, type RunningServer } from '../launcher/running-server.ts';
import { HOLDER } from './workspace.ts';

const END_TIMEOUT_MS = 15_000;

/**
 * Leaves nothing behind: closes the workspace as far as it is ours, gives up our presence, and waits until the server has
 * ended, unless somebody else needs it.
 * @returns whether the server stays, for another client or for work under way.
 */
export async function leave(options: {
  readonly presence: Presence;
  readonly dispatcher: Dispatcher;
  readonly closeWorkspace?: string | undefined;
}): Promise<boolean> {
  const { presence, dispatcher, closeWorkspace } = options;
  const isPresent = presence.state.state === 'connected';
  if (!isPresent) await presence.close();
  const { server } = presence;
  if (server === undefined) return false;
  const ending = await prepareEnd(server, { dispatcher, closeWorkspace, ourselves: isPresent ? 1 : 0 });
  // With the last client gone, a server that was asked to end does.
  await presence.close();
  return !(ending && (await waitForEnd(server.pid, END_TIMEOUT_MS)));
}

/** @returns whether the server ends when we have left. */
async function prepareEnd(
  server: RunningServer,
  options: {
    readonly dispatcher: Dispatcher;
    readonly closeWorkspace: string | undefined;
    /** How many of the clients that are present are us. */
    readonly ourselves: number;
  },
): Promise<boolean> {
  const { dispatcher, closeWorkspace, ourselves } = options;
  const { harbor } = clientOf(server, dispatcher);
  if (closeWorkspace !== undefined) {
    await harbor
      .closeWorkspace({ params: { deployment_id: closeWorkspace }, body: { holder: HOLDER } }, { retries: 0 })
      // Closed by somebody else already.
      .catch(() => {});
  }
  try {
    const { clients = 0, busy = false } = await harbor.handshake(undefined, { retries: 0 });
    // Who stays may leave for a moment and come back: the server then waits as it does for everybody.
    if (clients > ourselves || busy) return false;
    await harbor.shutdown({ body: { when: 'unused' } }, { retries: 0 });
  } catch {
    // A server that cannot be asked any more is gone, or goes when it finds itself alone.
  }
  return true;
}
