import assert from 'node:assert/strict';
import { type RawBuilder, sql } from 'kysely';
import { containsText } from '../../../src/server/storage/contains-text.ts';
import {
  addMinutes,
  appendJson,
  asMember,
  documentContains,
  elementOf,
  isOther,
  isSame,
  memberOf,
  numberIn,
  orderNullsLowest,
  rowsOf,
  secondsFromNow,
  setJsonText,
  similarityTo,
  withoutIndex,
} from '../../../src/server/storage/dialect-expressions.ts';
import type { StateDatabase } from '../../../src/server/storage/state-database.ts';
import { toVectorBytes } from '../../../src/server/storage/vectors.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../support/deployment-database.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { patience } from '../../support/wait.ts';

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`the SQL expressions of storage on ${engine}`, function () {
    this.timeout(30_000);
    let postgres: Postgres | undefined;
    let db: StateDatabase;
    let made: Awaited<ReturnType<typeof deploymentDatabase>>;
    before(async function () {
      if (engine === 'PostgreSQL') postgres = await requirePostgres(this);
      made = await deploymentDatabase({ postgres: await postgres?.createDatabase() });
      ({ db } = made);
      const rows = [
        { name: 'null', value: 'null' },
        { name: 'document', value: '{"a\\"b":{"c":1},"n":2,"t":"2"}' },
        { name: 'list', value: '[["Ärger","x"],["y","z"]]' },
        { name: '100%_Sure', value: '[]' },
      ];
      await db.insertInto('settings').values(rows).execute();
    });
    after(async () => {
      await made?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
    });

    const settings = () => db.selectFrom('settings').where('name', 'not like', 'default%').orderBy('name');
    const namesWith = async (condition: ReturnType<typeof containsText>) =>
      (await settings().select('name').where(condition).execute()).map(({ name }) => name);

    /** A row for one test, which other tests would find. */
    const insertRow = async (name: string, value: string): Promise<AsyncDisposable> => {
      await db.insertInto('settings').values({ name, value }).execute();
      return {
        [Symbol.asyncDispose]: async () => {
          await db.deleteFrom('settings').where('name', '=', name).execute();
        },
      };
    };

    it('find a text in a column, whatever the case of its ASCII letters, its special characters and its length', async () => {
      assert.deepEqual(await namesWith(containsText('name', '100%_sURE')), ['100%_Sure']);
      assert.deepEqual(await namesWith(containsText('name', '%')), ['100%_Sure']);
      assert.deepEqual(await namesWith(containsText('value', 'ärger')), []);
      assert.deepEqual(await namesWith(containsText('value', 'ÄRGER')), ['list']);
      assert.deepEqual(await namesWith(containsText('name', 'x'.repeat(100_000))), []);
    });

    it('compare members of documents with values, including null', async () => {
      const document = settings().where('name', '=', 'document').select('name');
      const holds = async (condition: ReturnType<typeof isSame>) =>
        (await document.where(condition).execute()).length === 1;
      assert.ok(await holds(isSame(memberOf('value', 'n'), asMember(2))));
      assert.ok(await holds(isOther(memberOf('value', 't'), asMember(2))));
      assert.ok(await holds(isSame(memberOf('value', 'a"b'), asMember({ c: 1 }))));
      assert.ok(await holds(isSame(memberOf('value', 'absent'), asMember(null))));
      assert.ok(await holds(isOther(memberOf('value', 'n'), asMember(undefined))));
    });

    it('change a part of a document', async () => {
      const changed = async (name: string, change: RawBuilder<string>): Promise<unknown> => {
        const row = settings().where('name', '=', name).select(change.as('changed'));
        return JSON.parse((await row.executeTakeFirstOrThrow()).changed);
      };
      assert.deepEqual(await changed('100%_Sure', appendJson('value', { b: 1 })), [{ b: 1 }]);
      assert.deepEqual(await changed('document', setJsonText('value', 'n', "it's")), {
        'a"b': { c: 1 },
        n: "it's",
        t: '2',
      });
    });

    it('read a list as rows', async () => {
      const rows = await settings()
        .where('name', '=', 'list')
        .innerJoin(rowsOf(sql.ref('settings.value'), 'pair'), (join) => join.onTrue())
        .select([elementOf('pair', 0).as('first'), elementOf('pair', 1).as('second')])
        .execute();
      assert.deepEqual(
        rows.map(({ first, second }) => [first, second]),
        [
          ['Ärger', 'x'],
          ['y', 'z'],
        ],
      );
    });

    it('find documents that contain a pattern, and none that are damaged', async () => {
      await using _damaged = await insertRow('damaged', '{"n":2');
      assert.deepEqual(await namesWith(documentContains('value', { n: 2 })), ['document']);
      assert.deepEqual(await namesWith(documentContains('value', { 'a"b': {} })), ['document']);
      assert.deepEqual(await namesWith(documentContains('value', { t: 2 })), []);
    });

    it('read a number of a document', async () => {
      const row = settings().where('name', '=', 'document');
      const numbers = row.select([numberIn('value', 'n').as('n'), numberIn('value', 'absent').as('absent')]);
      assert.deepEqual({ ...(await numbers.executeTakeFirst()) }, { n: 2, absent: null });
    });

    it('read documents with characters that a database cannot store', async () => {
      const value = String.raw`{"n":3,"odd":"a\u0000\u0000\ud800 \\u0000","even":"\ud83d\ude00"}`;
      await using _odd = await insertRow('odd', value);
      const odd = settings().where('name', '=', 'odd');
      const { n } = await odd.select(numberIn('value', 'n').as('n')).executeTakeFirstOrThrow();
      assert.equal(n, 3);
      const found = odd.select('value').where(documentContains('value', { odd: 'a\0\0\ud800 \\u0000' }));
      assert.equal((await found.execute()).length, 1);
      const same = odd.select('name').where(memberOf('value', 'n'), '=', asMember(3));
      assert.equal((await same.execute()).length, 1);
    });

    it('find nothing in an empty list, and everything outside it', async () => {
      const all = await settings().select('name').execute();
      assert.ok(all.length > 0);
      assert.deepEqual(await settings().select('name').where('name', 'in', []).execute(), []);
      assert.equal(
        (await settings().select('name').where('name', 'not in', []).execute()).length,
        all.length,
      );
    });

    it('compute the distance of vectors', async () => {
      const vectors = [
        { field: 'same', vector: [3, 4] },
        { field: 'other', vector: [-4, 3] },
        { field: 'small', vector: [1e-3, -2.5e-7] },
      ];
      const item = { deployment_id: DEPLOYMENT, namespace: 'n', key: 'k' };
      await db
        .insertInto('store_items')
        .values({ ...item, value: '{}', created_at: '', updated_at: '', ttl_minutes: null, expires_at: null })
        .execute();
      await db
        .insertInto('store_vectors')
        .values(vectors.map(({ field, vector }) => ({ ...item, field, vector: toVectorBytes(vector, 2) })))
        .execute();
      const near = await db
        .selectFrom('store_vectors')
        .select(['field', similarityTo('vector', toVectorBytes([3, 4], 2)).as('near')])
        .orderBy('field')
        .execute();
      const rounded = near.map(({ field, near: score }) => [field, Math.round(score * 1e5) / 1e5]);
      assert.deepEqual(rounded, [
        ['other', 0],
        ['same', 1],
        ['small', 0.5998],
      ]);
    });

    it('add minutes to a time', async () => {
      const later = (minutes: number) =>
        db.selectNoFrom(addMinutes(sql.val('2026-02-28T23:59:30.500Z'), sql.val(minutes)).as('at'));
      assert.equal((await later(0.5).executeTakeFirst())?.at, '2026-03-01T00:00:00.500Z');
      assert.equal((await later(1440).executeTakeFirst())?.at, '2026-03-01T23:59:30.500Z');
    });

    it('return the time of the database', async () => {
      const { now, later } = await db
        .selectFrom('settings')
        .select([secondsFromNow(0).as('now'), secondsFromNow(90.5).as('later')])
        .executeTakeFirstOrThrow();
      assert.equal(new Date(now).toISOString(), now);
      assert.ok(Math.abs(Date.parse(now) - Date.now()) < 60_000 * patience, now);
      assert.equal(Date.parse(later) - Date.parse(now), 90_500);
    });

    it('keep an index from being chosen', async () => {
      const found = db.selectFrom('settings').select('value').where(withoutIndex('name'), '=', '100%_Sure');
      assert.deepEqual(
        (await found.execute()).map(({ value }) => value),
        ['[]'],
      );
      if (engine === 'PostgreSQL') return;
      const plan = JSON.stringify(await found.explain(undefined, sql`query plan`));
      assert.match(plan, /SCAN settings/);
    });

    it('order null before everything', async () => {
      const member = memberOf('value', 'n');
      const ordered = async (direction: 'asc' | 'desc') => {
        const some = settings().where('name', 'in', ['document', '100%_Sure']).clearOrderBy();
        return (await some.select('name').orderBy(member, orderNullsLowest(direction)).execute()).map(
          ({ name }) => name,
        );
      };
      assert.deepEqual(await ordered('asc'), ['100%_Sure', 'document']);
      assert.deepEqual(await ordered('desc'), ['document', '100%_Sure']);
    });
  });
}
