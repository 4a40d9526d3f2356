import { debugging } from '../../src/contract/debugging.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { evaluators } from '../../src/contract/evaluators.ts';
import { harbor } from '../../src/contract/harbor.ts';
import { platform } from '../../src/contract/platform.ts';
import { tracingTables } from '../../src/contract/tables.ts';
import { info } from '../../src/contract/tracing/info.ts';
import { otlp } from '../../src/contract/tracing/otlp.ts';
import { fuzzServer } from '../support/fuzz-endpoints.ts';

const tables = { ...tracingTables, debugging, evaluators, harbor, info, otlp, platform };

/** The platform beside the control plane, whose fuzzing asks others and is in a file of its own. */
describe('the platform', function () {
  this.timeout(300_000);
  fuzzServer({
    endpoints: Object.values(tables).flatMap((table): Endpoint[] => Object.values(table)),
    probe: '/sessions',
    runs: 15,
    fill: async (server) => {
      const { client } = server;
      const session = await client.tracing.sessions.create({ body: { name: 'a project' } });
      const dataset = await client.datasets.create({ body: { name: 'a dataset' } });
      const example = await client.examples.create({ body: { dataset_id: dataset.id, inputs: { a: 1 } } });
      const run = { id: crypto.randomUUID(), name: 'a run', run_type: 'chain' as const };
      await server.fetch('/runs', {
        method: 'POST',
        body: { ...run, session_name: 'a project', inputs: { a: 1 }, start_time: new Date().toISOString() },
      });
      const names = ['default', 'a project', 'a dataset', 'score', 'latest'];
      return [...names, session.id, dataset.id, example.id ?? '', run.id];
    },
  });
});
