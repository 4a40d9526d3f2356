import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { serveProject } from '../../support/served-project.ts';
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.ts';
import { eventually } from '../../support/wait.ts';

describe('a server of a team that cannot open its traces', function () {
  this.timeout(120_000);
  let postgres: Postgres;
  let proxy: TcpProxy;
  let areRefused = true;
  before(async function () {
    postgres = await requirePostgres(this);
    // The proxy acts like a PostgreSQL that has no connection left.
    proxy = await tcpProxy(postgres.port, {
      breaks: (data) => areRefused && data.includes('agent-harbor traces'),
    });
  });
  after(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  it('serves everything else, is not ready, and opens them once it can', async () => {
    const url = new URL(await postgres.createDatabase());
    url.port = String(proxy.port);
    await using served = await serveProject({ database: url.href });
    const ask = (address: string) => fetch(address, { headers: { 'x-api-key': served.apiKey } });
    const statuses = () =>
      Promise.all([served.url, served.platformUrl].map(async (at) => (await ask(`${at}/ready`)).status));

    const ran = await new Client({ apiUrl: served.url }).runs.wait(null, 'one_node', { input: { value: 1 } });
    assert.ok(ran);
    assert.deepEqual(await statuses(), [503, 503]);
    const refused = await ask(`${served.platformUrl}/api/v1/sessions`);
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /Traces are not available yet\. Nothing was stored\. Try again\./);

    areRefused = false;
    await eventually('it is ready', statuses, (all) => all.every((status) => status === 200), 30_000);
    assert.equal((await ask(`${served.platformUrl}/api/v1/sessions`)).status, 200);
  });
});
