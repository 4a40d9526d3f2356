import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { system } from '../../../contract/agent-server/system.ts';
import type { AccessOptions } from '../../agent-server/agent-server-options.ts';
import { CALL_AGENT } from '../../agent-server/auth/call-agent.ts';
import type { Caller } from '../../http/caller.ts';
import { dispatcher } from '../../http/dispatch.ts';
import { HttpError } from '../../http/errors.ts';
import type { UpgradeListener } from '../../http/origin.ts';
import { checkHost, checkOrigin, loopbackOnly } from '../../http/origin-policy.ts';
import { Router } from '../../http/router.ts';
import { refuseUpgrade } from '../../http/upgrade.ts';
import type { Logger } from '../../logger.ts';
import { type Backend, forwardRequest, forwardUpgrade, NotReachedError } from './forward-request.ts';
import type { TakenContainer } from './serving-container.ts';

/** How many times a request is sent if it does not reach a server. */
const MAX_ATTEMPTS = 3;
/** How long a container may take to end after its server has ended. */
const EXIT_MS = 2_000;
const ANYONE: Caller = { organizationId: '', workspaceId: '', by: { kind: 'anonymous' } };

export interface ImageListenersOptions {
  readonly access: AccessOptions;
  readonly logger: Logger;
  /**
   * The container that answers a request.
   * @param left aborts the wait.
   * @throws HttpError 503; the signal's reason when aborted.
   */
  take(left: AbortSignal): Promise<TakenContainer>;
}

/** Creates listeners that check the key of each request and forward it to a container. */
export function imageListeners({ access, logger, take }: ImageListenersOptions): {
  onRequest: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  onUpgrade: UpgradeListener;
} {
  /**
   * Checks the key of a request and forwards it to a container. Does nothing for a client that has disconnected.
   * @param client the client's connection, which may close at any time.
   * @throws HttpError 401, 403, 503
   */
  async function answerWith(
    request: IncomingMessage,
    client: ServerResponse | Duplex,
    forward: (backend: Backend) => Promise<void>,
  ): Promise<void> {
    const left = new AbortController();
    client.once('close', () => left.abort());
    const caller = await access.authenticate(request, CALL_AGENT);
    if (client.destroyed) return;
    const stopWatching = caller && access.onRevoked?.(caller, () => client.destroy());
    if (stopWatching !== undefined) client.once('close', stopWatching);
    try {
      await forwardToAny(forward, left.signal);
    } catch (error) {
      if (!left.signal.aborted) throw error;
    }
  }

  /** Forwards a request to a container; if that has just ended, to the next one. */
  async function forwardToAny(
    forward: (backend: Backend) => Promise<void>,
    left: AbortSignal,
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { container, release } = await take(left);
      try {
        return await forward(container);
      } catch (error) {
        if (!(error instanceof NotReachedError)) throw error;
        if (attempt === MAX_ATTEMPTS) throw new HttpError(503, error.message);
      } finally {
        release();
      }
      // The container's server has stopped, and the container is about to.
      await Promise.race([container.exited, delay(EXIT_MS, undefined, { signal: left })]);
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    await answerWith(request, response, (backend) => forwardRequest(request, response, backend));
    return true;
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    checkHost(request.headers);
    checkOrigin(request.headers, 'deployment', loopbackOnly);
    await answerWith(request, socket, (backend) => forwardUpgrade(request, socket, head, backend));
  }

  return {
    onRequest: dispatcher({
      // The image answers all other endpoints, but this one must not wake it.
      router: new Router().mount({ ok: system.ok }, { ok: () => ({ ok: true }) }),
      logger,
      cors: () => loopbackOnly,
      bodyLimit: 0,
      authenticate: async (request, asked) => (await access.authenticate(request, asked)) ?? ANYONE,
      otherwise: answer,
    }),
    onUpgrade: (request, socket, head) => {
      socket.on('error', () => {});
      upgrade(request, socket, head).catch((error: unknown) => refuseUpgrade(socket, error, logger));
    },
  };
}
