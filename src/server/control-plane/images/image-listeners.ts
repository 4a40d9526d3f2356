import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { system } from '../../../contract/agent-server/system.ts';
import type { AccessOptions } from '../../agent-server/agent-server-options.ts';
import type { Caller } from '../../http/caller.ts';
import { dispatcher } from '../../http/dispatch.ts';
import { HttpError } from '../../http/errors.ts';
import type { UpgradeListener } from '../../http/origin.ts';
import { checkHost, checkOrigin, loopbackOnly } from '../../http/origin-policy.ts';
import { Router } from '../../http/router.ts';
import { refuseUpgrade } from '../../http/upgrade.ts';
import type { Logger } from '../../logger.ts';
import type { Container } from './container.ts';
import { forwardRequest, forwardUpgrade, NotReachedError } from './forward-request.ts';

/** How often a request is sent that did not reach a server. */
const MAX_ATTEMPTS = 3;
/** How long a container may take to end when its server has. */
const EXIT_MS = 2_000;
const ANYONE: Caller = { organizationId: '', workspaceId: '', by: { kind: 'anonymous' } };

export interface ImageListenersOptions {
  readonly access: AccessOptions;
  readonly logger: Logger;
  /** The container that answers a request. @throws HttpError 503 */
  take(): Promise<{ container: Container; release: () => void }>;
}

/** Listeners that check the key of a request, and let a container answer it. */
export function imageListeners({ access, logger, take }: ImageListenersOptions): {
  onRequest: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  onUpgrade: UpgradeListener;
} {
  /** @throws HttpError 401, 403 */
  async function admit(request: IncomingMessage, end: () => void): Promise<() => void> {
    const caller = await access.authenticate(request, 'deployment');
    return (caller && access.hold?.(caller, end)) ?? (() => {});
  }

  /** Sends a request to a container; to the next one when that has just ended. @throws HttpError 503 */
  async function answerWith(forward: (container: Container) => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { container, release } = await take();
      try {
        return await forward(container);
      } catch (error) {
        if (!(error instanceof NotReachedError)) throw error;
        if (attempt === MAX_ATTEMPTS) throw new HttpError(503, error.message);
      } finally {
        release();
      }
      // Its server has gone before it has.
      await Promise.race([container.exited, delay(EXIT_MS)]);
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const letGo = await admit(request, () => response.destroy());
    response.once('close', letGo);
    await answerWith((container) => forwardRequest(request, response, container));
    return true;
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    checkHost(request.headers);
    checkOrigin(request.headers, 'deployment', loopbackOnly);
    const letGo = await admit(request, () => socket.destroy());
    socket.once('close', letGo);
    await answerWith((container) => forwardUpgrade(request, socket, head, container));
  }

  return {
    onRequest: dispatcher({
      // The image has the others; this one must not wake it.
      router: new Router().mount({ ok: system.ok }, { ok: () => ({ ok: true }) }),
      logger,
      cors: () => loopbackOnly,
      bodyLimit: 0,
      authenticate: async (request, credentials) =>
        (await access.authenticate(request, credentials)) ?? ANYONE,
      otherwise: answer,
    }),
    onUpgrade: (request, socket, head) => {
      socket.on('error', () => {});
      upgrade(request, socket, head).catch((error: unknown) => refuseUpgrade(socket, error));
    },
  };
}
