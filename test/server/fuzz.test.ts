import assert from 'node:assert/strict';
import { debugging } from '../../src/contract/debugging.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { harbor } from '../../src/contract/harbor.ts';
import { platform } from '../../src/contract/platform.ts';
import { info } from '../../src/contract/tracing/info.ts';
import { otlp } from '../../src/contract/tracing/otlp.ts';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { fuzz, internalErrors } from '../support/fuzz.ts';
import { tracingTables } from '../support/tracing-tables.ts';

// Resources that other endpoints are about are deleted last.
const endpoints = Object.values({ ...tracingTables, debugging, harbor, info, otlp, platform })
  .flatMap((table): Endpoint[] => Object.values(table))
  .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

/** The platform beside the control plane, whose fuzzing asks others and is in a file of its own. */
describe('the platform', function () {
  this.timeout(300_000);
  let server: ServerProcess;
  const known = ['default', 'a project', 'a dataset', 'score', 'latest'];

  before(async () => {
    server = await serverProcess();
    const { client } = server;
    const session = await client.tracing.sessions.create({ body: { name: 'a project' } });
    const dataset = await client.datasets.create({ body: { name: 'a dataset' } });
    const example = await client.examples.create({ body: { dataset_id: dataset.id, inputs: { a: 1 } } });
    const run = { id: crypto.randomUUID(), name: 'a run', run_type: 'chain' as const };
    await server.fetch('/runs', {
      method: 'POST',
      body: { ...run, session_name: 'a project', inputs: { a: 1 }, start_time: new Date().toISOString() },
    });
    known.push(session.id, dataset.id, example.id ?? '', run.id);
  });
  after(() => server?.[Symbol.asyncDispose]());

  for (const endpoint of endpoints) {
    it(`answers whatever is sent to ${endpoint.method} ${endpoint.path} with a reason, never a failure of its own`, () =>
      fuzz(endpoint, {
        url: server.baseUrl,
        known,
        headers: { 'x-api-key': server.apiKey },
        runs: Number(process.env.FUZZ_RUNS ?? 15),
      }));
  }

  it('still works after whatever was sent to it, and has logged no internal error', async () => {
    assert.equal((await server.fetch('/sessions')).status, 200);
    assert.deepEqual(internalErrors(await server.log()), []);
  });
});
