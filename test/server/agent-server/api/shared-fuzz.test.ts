import assert from 'node:assert/strict';
import type { Endpoint } from '../../../../src/contract/endpoint.ts';
import { agentServerTables } from '../../../../src/contract/tables.ts';
import { fuzzEndpoints } from '../../../support/fuzz-endpoints.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

/** Requests for each endpoint; the server on SQLite gets more. */
const RUNS = 25;

const endpoints = Object.values(agentServerTables).flatMap((table): Endpoint[] => Object.values(table));

describe('the agent server of a team', function () {
  this.timeout(600_000);
  let postgres: Postgres;
  let served: ServedProject;
  before(async function () {
    postgres = await requirePostgres(this);
    served = await serveProject({ runTimeLimitMs: 5_000, database: await postgres.createDatabase() });
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  fuzzEndpoints(endpoints, () => ({ url: served.url, known: ['agent', 'one_node', 'a\0b'], runs: RUNS }));

  it('still works after all kinds of requests', async () => {
    assert.deepEqual(await (await fetch(`${served.url}/ok?check_db=1`)).json(), { ok: true });
  });
});
