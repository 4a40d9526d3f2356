import process from 'node:process';
import { IN_PROCESS_HEADER, PASSED_ON_HEADER } from '../../protocol/in-process.ts';
import type { InitializeParams, ServerAddress } from '../../protocol/protocol.ts';
import type { RunContext } from './run-context.ts';

/** Global properties that the public SDK's `new Client()` uses if it gets no URL. */
const FETCH = Symbol.for('langgraph_api:fetch');
const URL_NAME = Symbol.for('langgraph_api:url');

/**
 * Lets graphs, apps and auth handlers call their own agent server with `new Client()`, with the rights of
 * the user for whom they run.
 */
export class InProcessClient {
  readonly #context: RunContext;
  readonly #relayTo: ((url: string) => void) | undefined;
  /** The original function, because the project's code may replace the global one. */
  readonly #fetch = globalThis.fetch;
  #token: string | undefined;
  #url: string | undefined;

  /** @param relayTo in a container, makes an address of the server reachable. */
  constructor(context: RunContext, relayTo?: (url: string) => void) {
    this.#relayTo = relayTo;
    this.#context = context;
  }

  configure({ server }: InitializeParams): void {
    if (server === undefined) return;
    this.#token = server.token;
    Object.assign(globalThis, {
      [FETCH]: (input: string | URL | Request, init?: RequestInit) => this.#call(input, init),
    });
    if (server.url !== undefined) this.announce({ url: server.url });
  }

  /** Called when the server listens at this URL. The project's code finds the port in `process.env.PORT`. */
  announce({ url }: ServerAddress): Record<never, never> {
    this.#relayTo?.(url);
    this.#url = url;
    Object.assign(globalThis, { [URL_NAME]: url });
    process.env.PORT = new URL(url).port;
    return {};
  }

  /** Forwards to the server a request that the project's app has received, on behalf of its sender. */
  passOn(request: Request, body: RequestInit['body']): Promise<Response> {
    const { url, token } = this.#reach(request.url);
    const headers = new Headers(request.headers);
    // `fetch` sets its own Host.
    headers.set(PASSED_ON_HEADER, `${token} ${headers.get('host') ?? ''}`);
    const { method, signal } = request;
    return this.#fetch(url, { method, headers, signal, redirect: 'manual', ...bodyInit(body) });
  }

  #call(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const { url, token } = this.#reach(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const initiator = Buffer.from(JSON.stringify(this.#context.initiator)).toString('base64url');
    headers.set(IN_PROCESS_HEADER, `${token}.${initiator}`);
    return this.#fetch(input instanceof Request ? new Request(url, input) : url, { ...init, headers });
  }

  /** The URL of an address's path on the server; the host of the address is ignored. */
  #reach(address: string | URL): { url: URL; token: string } {
    if (this.#url === undefined || this.#token === undefined)
      throw new Error(
        'The agent server is not listening yet. Call it from a node, not while a module loads.',
      );
    const { pathname, search } = new URL(address);
    return { url: new URL(pathname + search, this.#url), token: this.#token };
  }
}

function bodyInit(body: RequestInit['body']): object {
  return body === null ? {} : { body, duplex: 'half' };
}
