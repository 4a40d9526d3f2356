import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { Presence } from '../launcher/presence.ts';
import { clientOf, endServer, type RunningServer } from '../launcher/running-server.ts';

/** How long the server may take to notice that our own connection has gone. */
const NOTICE_MS = 1_000;

/**
 * Leaves nothing behind: closes the workspace if it is ours, gives up our presence, and waits until the server has
 * ended, unless somebody else needs it.
 * @returns whether the server stays, for another client or for work under way.
 */
export async function leave(options: {
  readonly presence: Presence;
  readonly dispatcher: Dispatcher;
  readonly closeWorkspace?: string | undefined;
}): Promise<boolean> {
  const { presence, dispatcher, closeWorkspace } = options;
  const { state } = presence;
  const server = state.state === 'connected' ? state.server : undefined;
  if (server !== undefined && closeWorkspace !== undefined) {
    await clientOf(server, dispatcher)
      .harbor.closeWorkspace({ params: { deployment_id: closeWorkspace } }, { retries: 0 })
      // A server that cannot be asked any more serves nothing either.
      .catch(() => {});
  }
  await presence.close();
  return server !== undefined && !(await endUnlessUsed(server, dispatcher));
}

async function endUnlessUsed(server: RunningServer, dispatcher: Dispatcher): Promise<boolean> {
  const deadline = performance.now() + NOTICE_MS;
  do {
    if (await endServer(server, 'unused', { dispatcher }).catch(() => false)) return true;
    await sleep(100);
  } while (performance.now() < deadline);
  return false;
}
