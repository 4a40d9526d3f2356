import { createRequire } from 'node:module';
import { toBody } from '../../../process/body-text.ts';
import type { ExchangeRequest } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';
import { readBody, readHeaders, readUrl } from './dispatch-options.ts';
import type { Exchanges } from './exchanges.ts';
import { sendsSpans } from './fetch-interceptor.ts';
import { recordAnswer } from './record-answer.ts';
import { ReplacedProperties } from './replaced-properties.ts';
import { failAnswer, replayAnswer } from './replay-answer.ts';
import type { RunExchanges } from './run-exchanges.ts';
import { asUpgrade } from './web-exchanges.ts';

type Dispatch = (this: object, options: unknown, handler: unknown) => unknown;

/** A request that a dispatcher was asked to send. */
interface DispatchedRequest {
  readonly url: string;
  readonly options: object;
  readonly handler: object;
  /** Sends a request with the original method. */
  readonly send: OmitThisParameter<Dispatch>;
}

/** The file of the class that every dispatcher of undici inherits from. */
const BASE = /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]dispatcher-base\.js$/;
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');
/** Marks requests that have been intercepted, because agents pass them on to pools, and pools to clients. */
const PASSED = Symbol('passed');

/**
 * Intercepts the dispatchers of every copy of undici that a project has loaded, and of the one in Node.
 * Requests of `fetch` have already been intercepted.
 */
export class UndiciInterceptor {
  readonly #exchanges: Exchanges;
  readonly #replaced = new ReplacedProperties();

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
  }

  open(): void {
    for (const prototype of findDispatchers()) this.#intercept(prototype);
  }

  close(): void {
    this.#replaced.restore();
  }

  #intercept(prototype: object): void {
    const send: unknown = Reflect.get(prototype, 'dispatch');
    if (typeof send !== 'function') return;
    const sendOn: Dispatch = function (options, handler) {
      return Reflect.apply(send, this, [options, handler]);
    };
    const exchanges = this.#exchanges;
    const exchange = (run: RunExchanges, request: DispatchedRequest) => this.#exchange(run, request);
    const intercepted: Dispatch = function (options, handler) {
      const run = exchanges.current;
      if (
        run === undefined ||
        !isRecord(options) ||
        !isRecord(handler) ||
        exchanges.isPassing ||
        PASSED in options
      ) {
        return sendOn.call(this, options, handler);
      }
      const url = readUrl(this, options);
      if (sendsSpans(url) || (isSwitch(options) && run.mode === 'record')) {
        return sendOn.call(this, options, handler);
      }
      void exchange(run, { url, options, handler, send: sendOn.bind(this) });
      return true;
    };
    this.#replaced.replace(prototype, 'dispatch', intercepted);
  }

  /** Sends and records a request, or answers it from the recording. Its handler gets all errors. */
  async #exchange(run: RunExchanges, { url, options, handler, send }: DispatchedRequest): Promise<void> {
    const exchanges = this.#exchanges;
    try {
      const body = readBody(Reflect.get(options, 'body'));
      const described = describe(url, options, body);
      const toSend = async () => ({
        ...options,
        headers: askUncompressed((await described).headers),
        body: await body,
        [PASSED]: true,
      });
      if (run.mode === 'record') {
        const recorded = await exchanges.record(run, described);
        const sent = await toSend();
        exchanges.passThrough(() => send(sent, recordAnswer(handler, recorded)));
        return;
      }
      const response = await exchanges.replay(run, described);
      if (response === undefined) {
        const sent = await toSend();
        exchanges.passThrough(() => send(sent, handler));
      } else await replayAnswer(handler, response);
    } catch (error) {
      failAnswer(handler, error);
    }
  }
}

/**
 * Whether a request switches to another protocol. Such requests are not recorded, so a replay refuses them.
 */
function isSwitch({ method, upgrade }: Readonly<Record<PropertyKey, unknown>>): boolean {
  return method === 'CONNECT' || Boolean(upgrade);
}

/** The request in the form in which it is recorded. */
async function describe(
  url: string,
  options: object,
  body: Promise<Uint8Array | null>,
): Promise<ExchangeRequest> {
  const bytes = await body;
  const request = {
    method: String(Reflect.get(options, 'method') ?? 'GET'),
    url,
    headers: readHeaders(Reflect.get(options, 'headers')),
    body: bytes === null ? null : toBody(bytes),
  };
  return Reflect.get(options, 'upgrade') ? asUpgrade(request) : request;
}

/**
 * Requests an uncompressed response, because neither secrets nor the borders of chunks can be found in
 * compressed data.
 * @returns the headers as a list of names and values
 */
function askUncompressed(headers: ExchangeRequest['headers']): string[] {
  return headers.flatMap(([name, value]) => [
    name,
    name.toLowerCase() === 'accept-encoding' ? 'identity' : value,
  ]);
}

/** The prototypes of all dispatchers that send requests. */
function findDispatchers(): Set<object> {
  const found = new Set<object>();
  for (const [file, loaded] of Object.entries(createRequire(import.meta.url).cache)) {
    const base: unknown = BASE.test(file) ? loaded?.exports : undefined;
    if (typeof base === 'function' && isRecord(base.prototype)) found.add(base.prototype);
  }
  // Node's undici is private, and creates its dispatcher when one of its classes is first used.
  Reflect.get(globalThis, 'Response');
  const ofNode: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
  for (let at = ofNode; isRecord(at); at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, 'dispatch')) found.add(at);
  }
  return found;
}
