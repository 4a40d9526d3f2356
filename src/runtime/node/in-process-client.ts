import process from 'node:process';
import { IN_PROCESS_HEADER } from '../protocol/in-process.ts';
import type { InitializeParams, ServerAddress } from '../protocol/protocol.ts';
import type { RunContext } from './run-context.ts';

/** Where the public SDK's `new Client()` looks when it is given no URL. */
const FETCH = Symbol.for('langgraph_api:fetch');
const URL_NAME = Symbol.for('langgraph_api:url');

/**
 * Lets graphs, apps and auth handlers call the agent server they run in with `new Client()`, as the user they run for.
 */
export class InProcessClient {
  readonly #context: RunContext;
  /** As it is before the project's code can change it. */
  readonly #fetch = globalThis.fetch;
  #token: string | undefined;
  #url: string | undefined;

  constructor(context: RunContext) {
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

  /** The server listens there now. */
  announce({ url }: ServerAddress): Record<never, never> {
    this.#url = url;
    Object.assign(globalThis, { [URL_NAME]: url });
    process.env.PORT = new URL(url).port;
    return {};
  }

  #call(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    if (this.#url === undefined || this.#token === undefined)
      throw new Error('The agent server does not listen yet: call it from a node, not while a module loads.');
    const asked = new URL(input instanceof Request ? input.url : input);
    const url = new URL(asked.pathname + asked.search, this.#url);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const asker = Buffer.from(JSON.stringify(this.#context.asker)).toString('base64url');
    headers.set(IN_PROCESS_HEADER, `${this.#token}.${asker}`);
    return this.#fetch(input instanceof Request ? new Request(url, input) : url, { ...init, headers });
  }
}
