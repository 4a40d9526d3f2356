import assert from 'node:assert/strict';
import { a2a, mcp } from '../../../src/contract/agent-server/agents.ts';
import { archive } from '../../../src/contract/agent-server/archive.ts';
import { assistants } from '../../../src/contract/agent-server/assistants.ts';
import { crons } from '../../../src/contract/agent-server/crons.ts';
import { nodes } from '../../../src/contract/agent-server/nodes.ts';
import { protocol } from '../../../src/contract/agent-server/protocol.ts';
import { runs } from '../../../src/contract/agent-server/runs.ts';
import { store } from '../../../src/contract/agent-server/store.ts';
import { system } from '../../../src/contract/agent-server/system.ts';
import { threadStream, threads } from '../../../src/contract/agent-server/threads.ts';
import { ui } from '../../../src/contract/agent-server/ui.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { fuzz } from '../../support/fuzz.ts';
import { type ServedProject, serveProject } from '../../support/served-project.ts';

const endpoints: readonly Endpoint[] = [
  archive,
  nodes,
  assistants,
  threads,
  threadStream,
  runs,
  crons,
  store,
  protocol,
  mcp,
  a2a,
  ui,
  system,
].flatMap((table) => Object.values(table));

describe('the agent server', function () {
  this.timeout(600_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject({ runTimeLimitMs: 5_000 });
  });
  after(() => served[Symbol.asyncDispose]());

  for (const endpoint of endpoints) {
    it(`answers whatever is sent to ${endpoint.method} ${endpoint.path} with a reason, never a failure of its own`, () =>
      fuzz(endpoint, { url: served.url, known: ['agent', 'one_node'] }));
  }

  it('still works after whatever was sent to it', async () => {
    assert.deepEqual(await (await fetch(`${served.url}/ok?check_db=1`)).json(), { ok: true });
    assert.equal((await fetch(`${served.url}/runs/wait`, wait())).status, 200);
  });
});

function wait(): RequestInit {
  const body = JSON.stringify({ assistant_id: 'one_node', input: { value: 1 } });
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body };
}
