import { EventEmitter, errorMonitor } from 'node:events';
import module from 'node:module';
import { getRawRequest } from '@mswjs/interceptors';
import { ClientRequestInterceptor } from '@mswjs/interceptors/ClientRequest';
import type { Exchanges, Recorded } from './exchanges.ts';
import { isTrace } from './fetch-gate.ts';
import { nameMessages } from './message-ids.ts';
import { UndiciGate } from './undici-gate.ts';
import { asUpgrade, describeRequest, keepResponse, toResponse } from './web-exchanges.ts';

/**
 * What only recorded and replayed runs need, and is loaded by the first of them: the requests that are sent with `http`
 * and `https`, those of undici, and the ids of messages.
 */
export class HttpGate {
  readonly #exchanges: Exchanges;
  readonly #undici: UndiciGate;
  #interceptor: ClientRequestInterceptor | undefined;

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
    this.#undici = new UndiciGate(exchanges);
  }

  /** @param module `@langchain/core/callbacks/manager` of a user's LangGraph, before it is run. */
  nameMessages(module: Readonly<Record<string, unknown>>): void {
    nameMessages(module, this.#exchanges);
  }

  open(): void {
    const interceptor = new ClientRequestInterceptor();
    const recorded = new Map<string, Recorded>();
    interceptor.on('request', async ({ request, requestId, controller }) => {
      const run = this.#exchanges.current;
      if (run === undefined || isTrace(request.url)) return;
      const isUpgrade = request.headers.has('upgrade');
      if (run.mode === 'record') {
        if (isUpgrade) return;
        const keeping = await this.#exchanges.record(run, describeRequest(request));
        recorded.set(requestId, keeping);
        onFailure(request, (error) => {
          if (recorded.delete(requestId)) keeping.failed(error);
        });
        return;
      }
      try {
        const asked = await describeRequest(request);
        const response = await this.#exchanges.replay(run, isUpgrade ? asUpgrade(asked) : asked);
        if (response !== undefined) controller.respondWith(toResponse(response, request.url));
      } catch (error) {
        controller.errorWith(error instanceof Error ? error : new Error(String(error)));
      }
    });
    interceptor.on('response', async ({ response, requestId, isMockedResponse }) => {
      const keeping = recorded.get(requestId);
      recorded.delete(requestId);
      if (keeping === undefined || isMockedResponse) return;
      await drain(keepResponse(keeping, response, false).body);
    });
    interceptor.apply();
    // Modules that imported the functions by name have the old ones otherwise.
    module.syncBuiltinESMExports();
    this.#interceptor = interceptor;
    this.#undici.open();
  }

  close(): void {
    this.#undici.close();
    this.#interceptor?.dispose();
    module.syncBuiltinESMExports();
    this.#interceptor = undefined;
  }
}

/** Calls back when a request fails, which whoever sent it is told, too. */
function onFailure(request: Request, callback: (error: unknown) => void): void {
  const sent = getRawRequest(request);
  if (sent instanceof EventEmitter) sent.once(errorMonitor, callback);
}

/** Reads what only we read: a copy. */
async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  for (let done = false; !done; ) ({ done } = await reader.read().catch(() => ({ done: true })));
}
