import type { Client } from '@langchain/langgraph-sdk';
import { Client as NewestClient } from '@langchain/langgraph-sdk';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { agentServerTables } from '../../src/contract/tables.ts';

export const clientNames = ['assistants', 'threads', 'runs', 'crons', 'store'] as const;
export type ClientName = (typeof clientNames)[number];

/** A published version of the SDK. */
export interface Sdk {
  readonly version: string;
  make(config: ConstructorParameters<typeof Client>[0]): Client;
}

/** `npm install` gives 2.0.0 today, an older build than 1.15.0: users have either. */
export async function sdks(): Promise<Sdk[]> {
  const alias: string = 'langgraph-sdk-2';
  const older: { Client: typeof Client } = await import(alias);
  return [
    { version: '1.15.0', make: (config) => new NewestClient(config) },
    { version: '2.0.0', make: (config) => new older.Client(config) },
  ];
}

const endpoints = Object.values(agentServerTables).flatMap((table): Endpoint[] => Object.values(table));

/** Which methods of a client were called, and the routes they took. */
export class Coverage {
  readonly #routes = new Map<string, Set<string>>();
  /** Calls in progress, the newest last: requests during a call count as its own. */
  readonly #current: string[] = [];

  /** A `fetch` that records the routes. */
  readonly fetch: typeof fetch = (input, init) => {
    const request = new Request(input, { ...init, ...(init?.body == null ? {} : { duplex: 'half' }) });
    const name = this.#current.at(-1);
    if (name !== undefined) this.#routes.get(name)?.add(routeOf(request));
    return fetch(input, init);
  };

  /** The client, with every call of a method recorded. */
  watch(client: Client): Client {
    for (const name of clientNames) {
      const part = client[name];
      for (const method of methodsOf(part)) this.#watchMethod(name, part, method);
    }
    return client;
  }

  routes(): Record<string, string[]> {
    return Object.fromEntries([...this.#routes].map(([name, routes]) => [name, [...routes].sort()]));
  }

  #watchMethod(clientName: string, part: object, method: string): void {
    const original: unknown = Reflect.get(part, method);
    if (typeof original !== 'function') return;
    const name = `${clientName}.${method}`;
    Object.defineProperty(part, method, {
      value: (...args: unknown[]) => {
        if (!this.#routes.has(name)) this.#routes.set(name, new Set());
        this.#current.push(name);
        return Reflect.apply(original, part, args);
      },
    });
  }
}

export function methodsOf(part: object): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== 'constructor');
}

function routeOf(request: Request): string {
  const { pathname } = new URL(request.url);
  const found = endpoints.filter(({ method, path }) => method === request.method && matches(path, pathname));
  // A literal segment matches more closely than a parameter.
  const nearest = found.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
  return nearest === undefined
    ? `${request.method} ${pathname} (unknown)`
    : `${request.method} ${nearest.path}`;
}

function matches(path: string, pathname: string): boolean {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`).test(pathname);
}

/** All values of an async iterable. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
