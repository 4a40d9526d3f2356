import assert from 'node:assert/strict';
import pg from 'pg';
import { WORKSPACE_BLOBS } from '../../../../src/server/team/moving/workspace-rows.ts';
import { type Platform, request, startPlatform, type Workspace } from '../../../support/platform.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { newRun, postParts, sendParts } from '../../../support/traces.ts';
import { tracesDatabaseOf } from '../../../support/traces-database.ts';

describe('large payloads of a workspace that is moved', () => {
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('are its own, even when another one has a trace with the same ID', async function () {
    this.timeout(120_000);
    const traces = await tracesDatabaseOf(postgres);
    const platform = await startPlatform({ traces });
    const client = new pg.Client(traces.url);
    try {
      await client.connect();
      const root = newRun();
      const large = 'x'.repeat(1_200_000);
      const parts = [
        ...postParts(root, { inputs: { large }, outputs: { small: 1 } }),
        { name: `attachment.${root.id}.file`, contentType: 'text/plain', content: Buffer.from(large) },
      ];
      const storedIn = async (workspace: Workspace): Promise<string[]> => {
        const of: Platform = {
          ...platform,
          fetch: (route, init) => request(platform.url, workspace, route, init),
        };
        const before = await namesOf(client);
        assert.equal((await sendParts(of, parts)).status, 202);
        return (await namesOf(client)).filter((name) => !before.includes(name));
      };
      const workspaces = [platform.workspace, await platform.newWorkspace()];
      for (const workspace of workspaces) {
        const own = await storedIn(workspace);
        assert.equal(own.length, 2);
        assert.deepEqual(await namesOf(client, WORKSPACE_BLOBS, workspace.id), own);
      }
    } finally {
      await client.end();
      await platform.close();
    }
  });
});

async function namesOf(client: pg.Client, where = 'true', ...values: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from harbor_traces.blobs where ${where} order by name`,
    [...values],
  );
  return rows.map(({ name }) => name);
}
