import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { deploymentDatabase } from '../../../support/deployment-database.ts';
import { httpPeer } from '../../../support/http-peer.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';
import { webhookOutbox, webhookRow } from '../../../support/webhook-outbox.ts';

describe('a webhook of servers that share a database', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('is left to the one that delivers it, even when their clocks differ', async () => {
    const url = await postgres.createDatabase();
    await using made = await deploymentDatabase({ postgres: url });
    const answering = Promise.withResolvers<void>();
    await using peer = await httpPeer(async (request, response) => {
      if (request.url === '/slow') await answering.promise;
      response.end();
    });
    const add = (name: string) =>
      made.db
        .insertInto('webhooks')
        .values(webhookRow(`${peer.url}/${name}`))
        .execute();
    const left = async () => (await made.db.selectFrom('webhooks').select('url').execute()).length;
    const timesSlow = () => peer.seen.filter((request) => request.url === '/slow').length;
    const other = await openTeamState(url);
    const [ofOne, ofOther] = [webhookOutbox(made.db), webhookOutbox(other)];
    await add('slow');
    // An hour late.
    mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 });
    try {
      ofOne.start();
      await eventually('it is being delivered', () => timesSlow() === 1);
    } finally {
      mock.timers.reset();
    }
    // When the other one has delivered these, it has checked all due webhooks.
    for (const name of ['first', 'second']) {
      await add(name);
      ofOther.start();
      await eventually('another one is delivered', async () => (await left()) === 1);
    }
    assert.equal(timesSlow(), 1);
    answering.resolve();
    await eventually('it is delivered', async () => (await left()) === 0);
    await Promise.all([ofOne.close(), ofOther.close()]);
    await other.destroy();
  });
});
