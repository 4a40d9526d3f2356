import assert from 'node:assert/strict';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { type OwnPostgres, requireOwnPostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';

describe('the commit queue of a team, while PostgreSQL is unreachable,', function () {
  this.timeout(60_000);
  let postgres: OwnPostgres;
  before(async function () {
    postgres = await requireOwnPostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('keeps the writes of runs in order, and gives up the writes of requests behind them', async () => {
    const db = await openTeamState(await postgres.createDatabase(), { patienceMs: 500 });
    const queue = new CommitQueue(db);
    const put = (name: string) => (unit: Parameters<Parameters<typeof queue.write>[1]>[0]) => {
      const value = unit.build.selectFrom('settings').select(({ fn }) => fn.countAll<string>().as('count'));
      unit.do(unit.build.insertInto('settings').values({ name, value }));
    };
    await queue.write('a thread', put('before'));
    assert.equal(queue.reconnected, undefined);
    await postgres.stop();
    const first = queue.writeForRun('a thread', put('first'));
    await eventually('it is known that PostgreSQL is away', () => queue.reconnected !== undefined);
    const request = queue.write('a thread', put('a request'));
    const second = queue.writeForRun('a thread', put('second'));
    const other = queue.writeForRun('another thread', put('other'));
    await assert.rejects(request, { name: 'DatabaseUnreachable' });
    await assert.rejects(queue.write('a third thread', put('alone')), { name: 'DatabaseUnreachable' });
    const { reconnected } = queue;
    await postgres.start();
    await Promise.all([first, second, other, reconnected]);
    await queue.waitUntilSettled();
    assert.equal(queue.reconnected, undefined);
    const rows = await db.selectFrom('settings').select(['name', 'value']).execute();
    const order = new Map(rows.map(({ name, value }) => [name, Number(value)]));
    assert.deepEqual([...order.keys()].toSorted(), ['before', 'first', 'other', 'second']);
    assert.ok((order.get('first') ?? 0) < (order.get('second') ?? 0));
    await db.destroy();
  });
});
