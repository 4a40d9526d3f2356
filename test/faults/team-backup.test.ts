import assert from 'node:assert/strict';
import { type OwnPostgres, requireOwnPostgres } from '../support/postgres.ts';
import { makeTeam } from '../support/team.ts';

describe('the database of a team that is restored to a point in time', function () {
  this.timeout(600_000);
  let postgres: OwnPostgres;
  before(async function () {
    postgres = await requireOwnPostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('has what was stored until then, and servers continue the runs of that time', async () => {
    const database = await postgres.createDatabase();
    await using team = await makeTeam(database);
    const one = await team.start();
    const early = await team.begin(one);
    await postgres.backUp();
    const late = await team.begin(one);
    const time = await postgres.now();
    await one.client.threads.delete(late.threadId);
    const { thread_id: later } = await one.client.threads.create();
    process.kill(one.pid, 'SIGKILL');
    await one.cli.ended();
    await postgres.restoreTo(time);

    await team.letGo();
    const other = await team.start();
    for (const { threadId, runId } of [early, late])
      assert.deepEqual(await other.client.runs.join(threadId, runId), { steps: ['first', 'second'] });
    assert.equal(await team.firstSteps(), 2, 'what was stored is not done again');
    await assert.rejects(other.client.threads.get(later), /404/);
  });
});
