import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { isTerminal } from '../../../src/contract/control-plane/revisions.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { type PlatformNode, platformTeam } from '../../support/team-platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

const Webhook = z.object({ url: z.string(), secret: z.string() });

describe('changes of a deployment at the same time', function () {
  this.timeout(120_000);
  let cleanup: AsyncDisposableStack;
  let database: string;
  let node: PlatformNode;
  let key: string;
  let held: pg.Client;
  before(async function () {
    cleanup = new AsyncDisposableStack();
    const postgres: Postgres = cleanup.use(await requirePostgres(this));
    const folder = cleanup.use(await temporaryFolder());
    database = await postgres.createDatabase();
    const team = platformTeam({ database, objects: path.join(folder.path, 'objects') });
    key = team.key;
    node = cleanup.use(await team.start());
    held = new pg.Client(database);
    cleanup.defer(() => held.end());
    await held.connect();
  });
  after(() => cleanup?.disposeAsync());

  /** A deployment of a missing repository, whose revision has ended. */
  async function deploy(name: string): Promise<string> {
    const { client } = node;
    const { id, latest_revision_id } = await client.deployments.create({
      body: {
        name,
        source: 'github',
        source_config: { repo_url: 'file:///nowhere/at-all.git', build_on_push: true },
        source_revision_config: { repo_ref: 'main' },
        secrets: [{ name: 'FIRST', value: '1' }],
      },
    });
    const params = { deployment_id: id, revision_id: latest_revision_id ?? '' };
    const status = async () => (await client.revisions.get({ params })).status;
    await eventually('its revision has ended', status, isTerminal, 60_000);
    return id;
  }

  /** Starts each change when the previous ones wait for the row, and lets them continue in this order. */
  async function atOnce<Result>(id: string, changes: readonly (() => Promise<Result>)[]): Promise<Result[]> {
    await held.query('begin');
    await held.query('select from deployments where id = $1 for no key update', [id]);
    const waiting = async () => {
      // A transaction keeps seeing the connections that existed when it first looked.
      await held.query('select pg_stat_clear_snapshot()');
      const { rows } = await held.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')`,
      );
      return rows[0]?.count ?? 0;
    };
    const begun: Promise<Result>[] = [];
    for (const change of changes) {
      begun.push(change());
      await eventually('it waits', waiting, (count) => count === begun.length, 20_000);
    }
    await held.query('commit');
    return Promise.all(begun);
  }

  const addSecret = (id: string) => () =>
    node.client.deployments.update({
      params: { deployment_id: id },
      body: {
        secrets: [
          { name: 'FIRST', value: '' },
          { name: 'SECOND', value: '2' },
        ],
      },
    });
  const state = async (id: string) => {
    const { secrets, source_config } = await node.client.deployments.get({ params: { deployment_id: id } });
    return { secrets: secrets?.map(({ name }) => name), build_command: source_config.build_command };
  };
  const askWebhook = async (id: string) => {
    const answer = await fetch(`${node.url}/harbor/deployments/${id}/push-webhook`, {
      headers: { 'x-api-key': key },
    });
    return Webhook.parse(await answer.json());
  };

  it('keep what each of them sets', async () => {
    const id = await deploy('patched');
    const setCommand = () =>
      node.client.deployments.update({
        params: { deployment_id: id },
        body: { source_config: { build_command: 'node build.mjs' } },
      });
    await atOnce(id, [addSecret(id), setCommand]);
    assert.deepEqual(await state(id), { secrets: ['FIRST', 'SECOND'], build_command: 'node build.mjs' });
  });

  it('keep new secrets when a push comes', async () => {
    const id = await deploy('pushed');
    const { secret } = await askWebhook(id);
    const body = JSON.stringify({ ref: 'refs/heads/main', after: 'f'.repeat(40) });
    const push = async () => {
      const answer = await fetch(`${node.url}/harbor/deployments/${id}/pushed`, {
        method: 'POST',
        headers: {
          'x-github-event': 'push',
          'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        },
        body,
      });
      assert.equal(answer.status, 200, await answer.text());
    };
    await atOnce<unknown>(id, [addSecret(id), push]);
    assert.deepEqual((await state(id)).secrets, ['FIRST', 'SECOND']);
  });

  it('make one secret for pushes', async () => {
    const id = await deploy('asked');
    const [one, other] = await atOnce(id, [() => askWebhook(id), () => askWebhook(id)]);
    assert.equal(one?.secret, other?.secret);
    assert.deepEqual(await askWebhook(id), one);
  });
});
