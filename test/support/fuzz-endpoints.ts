import assert from 'node:assert/strict';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { type ServerProcess, serverProcess } from './control-plane/server-process.ts';
import { type FuzzOptions, fuzz, internalErrors } from './fuzz.ts';

/** A test for each endpoint. @param options asked for when the tests run */
export function fuzzEndpoints(endpoints: readonly Endpoint[], options: () => FuzzOptions): void {
  // Deletes run last, because other endpoints need the resources.
  const ordered = endpoints.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  for (const endpoint of ordered) {
    it(`answers any request to ${endpoint.method} ${endpoint.path} with a reason, and never with an internal error`, () =>
      fuzz(endpoint, options()));
  }
}

export interface FuzzedServer {
  readonly endpoints: readonly Endpoint[];
  readonly args?: readonly string[];
  /** Creates resources for the requests. @returns their names and IDs */
  fill(server: ServerProcess): Promise<readonly string[]>;
  /** A path that has to answer with 200 at the end. */
  readonly probe: string;
  /** The number of requests to each endpoint. */
  readonly runs: number;
  /** Whether some endpoints call another service, and answer 502 when it is down. */
  readonly asksOthers?: boolean;
}

/** Tests that a server answers any request to its endpoints, and still works afterwards. */
export function fuzzServer({ endpoints, args = [], fill, probe, ...options }: FuzzedServer): void {
  let server: ServerProcess;
  let known: readonly string[];

  before(async () => {
    server = await serverProcess({ args });
    known = await fill(server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  fuzzEndpoints(endpoints, () => ({
    ...options,
    url: server.baseUrl,
    known,
    headers: { 'x-api-key': server.apiKey },
  }));

  it('still works after all kinds of requests, and has logged no internal error', async () => {
    assert.equal((await server.fetch(probe)).status, 200);
    assert.deepEqual(internalErrors(await server.log()), []);
  });
}
