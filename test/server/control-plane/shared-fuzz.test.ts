import assert from 'node:assert/strict';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { tracingTables } from '../../../src/contract/tables.ts';
import { controlPlaneEndpoints } from '../../support/control-plane/endpoints.ts';
import { internalErrors } from '../../support/fuzz.ts';
import { fuzzEndpoints } from '../../support/fuzz-endpoints.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { type PlatformNode, type PlatformTeam, platformTeam } from '../../support/team-platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Requests for each endpoint; the server on SQLite gets more. */
const RUNS = 10;

const endpoints: readonly Endpoint[] = [
  ...controlPlaneEndpoints,
  ...Object.values(tracingTables).flatMap((table): Endpoint[] => Object.values(table)),
];

describe('the platform of a team', function () {
  this.timeout(300_000);
  let postgres: Postgres;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let team: PlatformTeam;
  let node: PlatformNode;
  let known: readonly string[];
  before(async function () {
    postgres = await requirePostgres(this);
    folder = await temporaryFolder();
    team = platformTeam({ database: await postgres.createDatabase(), objects: folder.path });
    node = await team.start();
    const { client } = node;
    const provider = await client.controlPlane.oauthProviders.create({
      body: {
        provider_id: 'idp',
        name: 'A provider',
        client_id: 'c',
        auth_url: 'http://127.0.0.1:9/auth',
        token_url: 'http://127.0.0.1:9/token',
      },
    });
    const session = await client.tracing.sessions.create({ body: { name: 'a project' } });
    const dataset = await client.datasets.create({ body: { name: 'a dataset' } });
    const names = ['github', 'workspace', 'internal_source', 'idp', 'main', 'a project', 'a\0b'];
    known = [...names, provider.id, session.id, dataset.id];
  });
  after(async () => {
    await node?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  fuzzEndpoints(endpoints, () => ({
    url: node.url,
    known,
    headers: { 'x-api-key': team.key },
    asksOthers: true,
    runs: RUNS,
  }));

  it('still works after all kinds of requests, and has logged no internal error', async () => {
    await node.client.deployments.list({ query: {} });
    assert.deepEqual(internalErrors(await node.process.log()), []);
  });
});
