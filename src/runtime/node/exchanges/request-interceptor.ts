import { errorMonitor } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import module from 'node:module';
import { isRecord } from '../langgraph-types.ts';
import { pairsOf } from './dispatch-options.ts';
import type { Exchanges, ResponseRecorder } from './exchanges.ts';
import { sendsSpans } from './fetch-interceptor.ts';
import { messageBytes } from './message-bytes.ts';
import { recordResponse } from './record-response.ts';
import { ReplacedProperties } from './replaced-properties.ts';
import { ReplayedConnection } from './replayed-connection.ts';
import type { RunExchanges } from './run-exchanges.ts';
import { SentRequest } from './sent-request.ts';

/**
 * How long the interceptor stays installed after the last run. Another run often follows, and replacing the
 * functions makes Node update all of its modules.
 */
const CLOSE_DELAY_MS = 1_000;

type Send = (...args: unknown[]) => ClientRequest;

/**
 * Intercepts requests of `http` and `https`. In a replay, Node's own parser reads recorded responses from a
 * `ReplayedConnection`. Otherwise, responses are recorded while they arrive.
 */
export class RequestInterceptor {
  readonly #exchanges: Exchanges;
  readonly #replaced = new ReplacedProperties();
  #isOpen = false;
  #closing: NodeJS.Timeout | undefined;

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
  }

  open(): void {
    clearTimeout(this.#closing);
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const library of [http, https]) {
      const { request, get } = library;
      const send: Send = (...args) => Reflect.apply(request, library, args);
      const intercepted = (...args: unknown[]) => this.#send(send, library.globalAgent, args);
      this.#replaced.replace(library, 'request', intercepted);
      this.#replaced.replace(library, 'get', (...args: unknown[]) => {
        // Like Node's `get`, this ends the request.
        const sent = this.#exchanges.current === undefined ? undefined : intercepted(...args);
        if (sent === undefined) return Reflect.apply(get, library, args);
        sent.end();
        return sent;
      });
    }
    const { ClientRequest } = http;
    const make: Send = (...args) => Reflect.construct(ClientRequest, args);
    this.#replaced.replace(
      http,
      'ClientRequest',
      new Proxy(ClientRequest, { construct: (_target, args) => this.#send(make, http.globalAgent, args) }),
    );
    // Updates modules that have imported the functions by name.
    module.syncBuiltinESMExports();
  }

  close(): void {
    this.#closing = setTimeout(() => {
      this.#isOpen = false;
      this.#replaced.restore();
      module.syncBuiltinESMExports();
    }, CLOSE_DELAY_MS).unref();
  }

  #send(send: Send, agent: object, args: unknown[]): ClientRequest {
    const run = this.#exchanges.current;
    if (run === undefined) return send(...args);
    return run.mode === 'record' ? this.#record(run, send(...args)) : this.#replay(run, send, agent, args);
  }

  #record(run: RunExchanges, request: ClientRequest): ClientRequest {
    const sent = new SentRequest(request);
    // The bytes after a switch to another protocol cannot be read here, so requests that switch are not
    // recorded, and a replay refuses them.
    if (sendsSpans(sent.url) || sent.isSwitch) return request;
    // In compressed data, neither secrets nor the borders of chunks can be found.
    if (request.hasHeader('accept-encoding') && !request.headersSent) {
      request.setHeader('accept-encoding', 'identity');
    }
    const recorded = this.#exchanges.recordAsSent(run, () => sent.describe());
    let recorder: ResponseRecorder | undefined;
    request.prependOnceListener('response', (response) => {
      recorder = recorded.answered(response.statusCode ?? 0, pairsOf(response.rawHeaders));
      recordResponse(response, recorder);
      // Node itself discards only responses that have no listener, not even the one above.
      if (request.listenerCount('response') === 0) response.resume();
    });
    request.once(errorMonitor, (error) => {
      if (recorder === undefined) recorded.failed(error);
    });
    return request;
  }

  #replay(run: RunExchanges, send: Send, agent: object, args: unknown[]): ClientRequest {
    const connection = new ReplayedConnection();
    const sent = new SentRequest(send(...withOptions(args, { agent: agentTo(connection, args, agent) })));
    const sendLive = () => {
      const options = { method: sent.request.method, headers: sent.request.getHeaders() };
      const withoutCallback = args.filter((one) => typeof one !== 'function');
      const live = send(...withOptions(withoutCallback, options));
      connection.once('close', () => live.destroy());
      live.end(sent.body);
      return live;
    };
    void connection.play(this.#answer(run, sent, { connection, sendLive }));
    return sent.request;
  }

  /**
   * Yields the bytes of the answer to a request.
   * @param options.sendLive sends the request to its server, if the recording need not answer it
   */
  async *#answer(
    run: RunExchanges,
    sent: SentRequest,
    { connection, sendLive }: { connection: ReplayedConnection; sendLive: () => ClientRequest },
  ): AsyncGenerator<Uint8Array, void, undefined> {
    if (sent.request.hasHeader('expect')) yield Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');
    await sent.ended;
    const { method } = sent.request;
    const found = sendsSpans(sent.url) ? undefined : await this.#exchanges.replay(run, sent.describe());
    if (found !== undefined) {
      const { status, headers } = found;
      yield* messageBytes(method, { status, headers, pieces: found.pieces() });
      return;
    }
    const live = sendLive();
    const response = await answerOf(live);
    const headers = pairsOf(response.rawHeaders);
    const status = response.statusCode ?? 0;
    yield* messageBytes(method, { status, headers, pieces: response });
    if (status !== 101) return;
    connection.connect(response.socket);
    yield* response.socket;
  }
}

/**
 * Waits for the response to a request, including one that switches protocols.
 * @throws the error of the request
 */
function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('upgrade', (response, socket, head) => {
      socket.unshift(head);
      resolve(response);
    });
    request.on('error', reject);
  });
}

/**
 * Adds options to the arguments of `http.request`: `(url, options?, callback?)` or `(options, callback?)`.
 */
function withOptions([first, second, third]: readonly unknown[], options: object): unknown[] {
  if (typeof first !== 'string' && !(first instanceof URL)) return [{ ...Object(first), ...options }, second];
  return typeof second === 'function'
    ? [first, options, second]
    : [first, { ...Object(second), ...options }, third];
}

/** An agent that uses this connection, for the protocol of the request. */
function agentTo(connection: ReplayedConnection, args: readonly unknown[], usual: object): http.Agent {
  const asked = args.find((one) => isRecord(one) && isRecord(one.agent));
  const { protocol, defaultPort } = Object(isRecord(asked) ? asked.agent : usual);
  const agent = new http.Agent({ keepAlive: false });
  return Object.assign(agent, { protocol, defaultPort, createConnection: () => connection });
}
