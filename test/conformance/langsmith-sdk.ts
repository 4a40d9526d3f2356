import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'langsmith';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { tracingTables } from '../../src/contract/tables.ts';
import { info } from '../../src/contract/tracing/info.ts';

const endpoints = Object.values({ ...tracingTables, info }).flatMap((table): Endpoint[] =>
  Object.values(table),
);

/** Methods that send no request, or are internal to the client. */
const WITHOUT_REQUEST = new Set([
  'constructor',
  'getProfileManagedAuthorizationHeader',
  'isProfileManagedAuthorizationHeader',
  'hasExplicitAuthHeader',
  'applyCurrentAuthHeaders',
  'getHostUrl',
  'processInputs',
  'processOutputs',
  'processMetadata',
  'processError',
  'prepareRunCreateOrUpdateInputs',
  'drainAutoBatchQueue',
  'processRunOperation',
  'parseTokenOrUrl',
  'cleanup',
  'toString',
]);

/** Methods to call in the newer, generated part of the client. */
const RESOURCES = {
  'datasets.experimentRuns': ['query'],
  runs: ['query', 'retrieve', 'getURL'],
  'runs.share': ['create', 'delete'],
  'public.runs': ['query', 'retrieve'],
  threads: ['query', 'listTraces', 'stats'],
  traces: ['query', 'listRuns'],
} as const;

/** Every method of the client that makes requests, by the name it is called by. */
export function clientMethods(): string[] {
  const own = Object.entries(Object.getOwnPropertyDescriptors(Client.prototype))
    .filter(([name, { get }]) => get === undefined && !name.startsWith('_') && !WITHOUT_REQUEST.has(name))
    .map(([name]) => name);
  return [
    ...own,
    ...Object.entries(RESOURCES).flatMap(([of, names]) => names.map((name) => `${of}.${name}`)),
  ];
}

/** Records which methods of the langsmith client were called, and the routes they took. */
export class LangsmithCoverage {
  readonly #routes = new Map<string, Set<string>>();
  readonly #current = new AsyncLocalStorage<string>();

  readonly fetch: typeof fetch = (input, init) => {
    const request = new Request(input, { ...init, ...(init?.body == null ? {} : { duplex: 'half' }) });
    const name = this.#current.getStore();
    const { pathname } = new URL(request.url);
    // Requests of the client about the server or its workspace, on the way to something else.
    if (name !== undefined && pathname !== '/info')
      this.#routes.get(name)?.add(routeOf(request.method, pathname));
    return fetch(input, init);
  };

  /** Calls a function and records its requests under the name of a client method. */
  call<Result>(method: string, work: () => Promise<Result>): Promise<Result> {
    if (!this.#routes.has(method)) this.#routes.set(method, new Set());
    return this.#current.run(method, work);
  }

  routes(): Record<string, string[]> {
    return Object.fromEntries([...this.#routes].map(([name, routes]) => [name, [...routes].sort()]));
  }
}

/** The endpoint that a request went to, as the contract names it. */
export function routeOf(method: string, pathname: string): string {
  const path = pathname.replace(/^\/api(?:\/v1)?(?=\/)/, '');
  const found = endpoints
    .filter(
      (endpoint) =>
        endpoint.method === method && (matches(endpoint.path, pathname) || matches(endpoint.path, path)),
    )
    .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
  return found === undefined ? `${method} ${pathname} (unknown)` : `${method} ${found.path}`;
}

function matches(path: string, pathname: string): boolean {
  const pattern = path
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}/?$`).test(pathname);
}
