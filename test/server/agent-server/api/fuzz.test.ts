import assert from 'node:assert/strict';
import type { Endpoint } from '../../../../src/contract/endpoint.ts';
import { agentServerTables } from '../../../../src/contract/tables.ts';
import { fuzzEndpoints } from '../../../support/fuzz-endpoints.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

const endpoints = Object.values(agentServerTables).flatMap((table): Endpoint[] => Object.values(table));

describe('the agent server', function () {
  this.timeout(600_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject({ runTimeLimitMs: 5_000 });
  });
  after(() => served[Symbol.asyncDispose]());

  fuzzEndpoints(endpoints, () => ({ url: served.url, known: ['agent', 'one_node'] }));

  it('still works after all kinds of requests', async () => {
    assert.deepEqual(await (await fetch(`${served.url}/ok?check_db=1`)).json(), { ok: true });
    assert.equal((await fetch(`${served.url}/runs/wait`, wait())).status, 200);
  });
});

function wait(): RequestInit {
  const body = JSON.stringify({ assistant_id: 'one_node', input: { value: 1 } });
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body };
}
