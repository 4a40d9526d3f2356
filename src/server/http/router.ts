import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { addRoute, createRouter, findRoute } from 'rou3';
import type { WebSocket } from 'ws';
import type {
  Answer,
  Body,
  Endpoint,
  EndpointTable,
  EventStreamEndpoint,
  JsonEndpoint,
  MultipartEndpoint,
  Params,
  Query,
  RawEndpoint,
} from '../../contract/endpoint.ts';
import type { Caller } from './caller.ts';
import type { EventStream } from './event-stream.ts';
import type { JsonText, PendingReply, Reply } from './reply.ts';
import { plainPath } from './request-path.ts';

/** A validated request. */
export interface Call<E extends Endpoint> {
  readonly params: Params<E>;
  readonly query: Query<E>;
  readonly body: Body<E>;
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client disconnects before the response. */
  readonly signal: AbortSignal;
  readonly request: IncomingMessage;
}

type Awaitable<T> = T | Promise<T>;
type JsonAnswer<E extends Endpoint> =
  | Answer<E>
  | JsonText
  | PendingReply
  | Reply<Answer<E> | JsonText | undefined>;

/** Sends the status line and headers of a stream, and returns its writing end. */
export type OpenStream = (headers?: Readonly<Record<string, string>>) => EventStream;

/**
 * Answers the requests for an endpoint. The kind of the endpoint decides what the handler gets and returns.
 */
export type Handler<E extends Endpoint> = E extends EventStreamEndpoint
  ? (call: Call<E>, open: OpenStream) => Awaitable<void>
  : E extends RawEndpoint
    ? (call: Call<E>, response: ServerResponse) => Awaitable<void>
    : E extends JsonEndpoint | MultipartEndpoint
      ? (call: Call<E>) => Awaitable<JsonAnswer<E>>
      : (call: Call<E>, socket: WebSocket) => Awaitable<void>;

/** A handler for every endpoint of a table. */
export type Handlers<Table extends EndpointTable> = { readonly [Name in keyof Table]: Handler<Table[Name]> };

/** A route. The handler's type is checked where the table is mounted. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly handle: (call: never, output: never) => unknown;
}

/** A route that matches a request, with its decoded parameters. */
export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const MAX_PARAMETER_LENGTH = 512;

/** Finds the endpoint of a request among the mounted tables. */
export class Router {
  readonly #tree = createRouter<Route>();
  readonly #routes: Route[] = [];

  /**
   * Serves a table's endpoints.
   * @param prefixes the path prefixes under which it is served, `''` for the root.
   */
  mount<Table extends EndpointTable>(
    table: Table,
    handlers: Handlers<Table>,
    prefixes: readonly string[] = [''],
  ): this {
    for (const name of Object.keys(table)) {
      const endpoint = table[name];
      const handle = handlers[name];
      if (endpoint === undefined || handle === undefined) throw new Error(`No handler for ${name}.`);
      const route: Route = { endpoint, handle };
      this.#routes.push(route);
      for (const prefix of prefixes) {
        const path = `${prefix}${endpoint.path}`.replace(/\{(\w+)\}/g, ':$1');
        addRoute(this.#tree, endpoint.method, path, route);
      }
    }
    return this;
  }

  /** The mounted endpoints, for the interface description. */
  get endpoints(): readonly Endpoint[] {
    return this.#routes.map((route) => route.endpoint);
  }

  /**
   * Finds a route. Repeated and trailing slashes are ignored, unless an endpoint requires an exact spelling.
   */
  find(method: string, url: string): Found | undefined {
    const known = METHODS.find((candidate) => candidate === method);
    if (known === undefined) return undefined;
    const { path, query } = split(url);
    const found = findRoute(this.#tree, known, path);
    const params = found === undefined ? undefined : decodeParams(found.params ?? {});
    if (found === undefined || params === undefined) return undefined;
    if (found.data.endpoint.hasOneSpelling && !isSpelledLike(url, path)) return undefined;
    return { route: found.data, params, query: query === '' ? {} : parseQuery(query) };
  }

  /** The methods of a path; empty for an unknown path. */
  allowedMethods(url: string): string[] {
    return METHODS.filter((method) => this.find(method, url) !== undefined);
  }
}

function split(url: string): { path: string; query: string } {
  const plain = plainPath(url);
  const end = plain.indexOf('?');
  return end < 0 ? { path: plain, query: '' } : { path: plain.slice(0, end), query: plain.slice(end + 1) };
}

/** Whether a URL, apart from its query, is spelled exactly like a path. */
function isSpelledLike(url: string, path: string): boolean {
  return url === path || url.startsWith(`${path}?`);
}

/**
 * Decodes the parameters of a path.
 * @returns undefined when a parameter is too long or not correctly encoded.
 */
function decodeParams(params: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const texts: Record<string, string> = {};
  for (const [name, encoded] of Object.entries(params)) {
    try {
      texts[name] = encoded.includes('%') ? decodeURIComponent(encoded) : encoded;
    } catch {
      return undefined;
    }
    if (encoded.length > MAX_PARAMETER_LENGTH) return undefined;
  }
  return texts;
}
