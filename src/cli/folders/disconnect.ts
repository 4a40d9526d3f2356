import type { Dispatcher } from 'undici';
import type { Presence } from '../../launcher/presence.ts';
import { waitForEnd } from '../../launcher/process-life.ts';
import { harborOf, type RunningServer } from '../../launcher/running-server.ts';
import { HOLDER } from './open-folder.ts';

/** How long to wait until the server's process has ended. */
const END_TIMEOUT_MS = 15_000;

/**
 * Ends the connection of a command: closes the folder that it opened, disconnects, and waits until the server has
 * stopped, unless another client needs it.
 * @returns whether the server keeps running, for another client or work in progress
 */
export async function disconnect(options: {
  readonly presence: Presence;
  readonly dispatcher: Dispatcher;
  /** The deployment of the folder that the command has opened, if any. */
  readonly openedFolderId?: string | undefined;
}): Promise<boolean> {
  const { presence, dispatcher, openedFolderId } = options;
  const isPresent = presence.state.state === 'connected';
  if (!isPresent) await presence.close();
  const { server } = presence;
  if (server === undefined) return false;
  const ending = await prepareEnd(server, { dispatcher, openedFolderId, ourselves: isPresent ? 1 : 0 });
  // A server that was asked to stop stops when its last client has left.
  await presence.close();
  return !(ending && (await waitForEnd(server.pid, END_TIMEOUT_MS)));
}

/** Closes the folder, and asks the server to stop. @returns whether it stops once this client has left */
async function prepareEnd(
  server: RunningServer,
  options: {
    readonly dispatcher: Dispatcher;
    readonly openedFolderId: string | undefined;
    /** How often this client is counted among the connected clients: 1 or 0. */
    readonly ourselves: number;
  },
): Promise<boolean> {
  const { dispatcher, openedFolderId, ourselves } = options;
  const { harbor } = harborOf(server, dispatcher);
  if (openedFolderId !== undefined) {
    await harbor
      .closeFolder({ params: { deployment_id: openedFolderId }, body: { holder: HOLDER } }, { retries: 0 })
      // Another client may have closed the folder already.
      .catch(() => {});
  }
  try {
    const { clients = 0, busy = false } = await harbor.handshake(undefined, { retries: 0 });
    // Remaining clients may reconnect, so the server waits for them as usual.
    if (clients > ourselves || busy) return false;
    await harbor.shutdown({ body: { when: 'unused' } }, { retries: 0 });
  } catch {
    // A server that does not answer has stopped, or stops when it has no clients.
  }
  return true;
}
