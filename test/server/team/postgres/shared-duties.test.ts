import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { DutyLostError } from '../../../../src/server/storage/duties.ts';
import type { PostgresState } from '../../../../src/server/team/postgres/postgres-state.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';

describe('a duty of several servers', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  let one: PostgresState;
  let other: PostgresState;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  beforeEach(async () => {
    const url = await postgres.createDatabase();
    [one, other] = await Promise.all([openTeamState(url), openTeamState(url)]);
  });
  afterEach(() => Promise.all([one?.destroy(), other?.destroy()]));
  after(() => postgres?.[Symbol.asyncDispose]());

  const setting = (db: PostgresState) =>
    db.selectFrom('settings').select('value').where('name', '=', 'built').executeTakeFirst();

  it('belongs to the first server that takes it, until it is released', async () => {
    const [byOne, byOther] = await Promise.all([one.duties.take('a:1'), other.duties.take('a:1')]);
    assert.notEqual(byOne, byOther);
    const [has, waits] = byOne ? [one, other] : [other, one];
    assert.equal(await has.duties.take('a:1'), true, 'it still has it');
    assert.equal(await waits.duties.take('a:2'), true, 'another duty is free');
    assert.deepEqual(await waits.duties.listTakenElsewhere('a:'), new Set(['a:1']));
    assert.deepEqual(await has.duties.listTakenElsewhere('a:'), new Set(['a:2']));
    await waits.duties.release('a:1');
    assert.equal(await waits.duties.take('a:1'), false, 'it was not its own to release');
    const waiting = waits.duties.takeWhenFree('a:1');
    await has.duties.release('a:1');
    await waiting;
    assert.equal(await has.duties.take('a:1'), false);
  });

  it('lets only the server that has it write', async () => {
    await one.duties.take('a:1');
    const insert = (db: PostgresState, value: string) =>
      db.duties.write('a:1', (writing) =>
        writing.insertInto('settings').values({ name: 'built', value }).execute(),
      );
    await assert.rejects(insert(other, 'other'), DutyLostError);
    assert.equal(await setting(one), undefined);
    await insert(one, 'one');
    assert.equal((await setting(other))?.value, 'one');
  });

  it('passes on when others take over from the server that has it, which then writes nothing more', async () => {
    await one.duties.take('a:1');
    // A takeover does the same.
    await sql`delete from nodes where number = ${Number(one.node)}`.execute(other);
    await other.duties.takeWhenFree('a:1');
    const late = one.duties.write('a:1', (writing) =>
      writing.insertInto('settings').values({ name: 'built', value: 'late' }).execute(),
    );
    await assert.rejects(late, DutyLostError);
    assert.equal(await setting(other), undefined);
  });

  it('can be waited for until the wait is given up', async () => {
    await one.duties.take('a:1');
    const abort = new AbortController();
    const waiting = other.duties.takeWhenFree('a:1', abort.signal);
    abort.abort(new Error('given up'));
    await assert.rejects(waiting, /given up/);
  });
});
