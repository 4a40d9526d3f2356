import assert from 'node:assert/strict';
import { openStateDatabase, type StateDatabase } from '../../../src/server/storage/state-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the state database', () => {
  const put = (db: StateDatabase, name: string) =>
    db.now((now) => now.run(now.build.insertInto('settings').values({ name, value: '' })));
  const names = async (db: StateDatabase) =>
    (await db.selectFrom('settings').select('name').orderBy('name').execute()).map(({ name }) => name);

  it('keeps plain functions out of a transaction that is open', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const begun = Promise.withResolvers<void>();
    const meanwhile = Promise.withResolvers<void>();
    const undone = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('settings').values({ name: 'undone', value: '' }).execute();
      begun.resolve();
      await meanwhile.promise;
      throw new Error('undo it');
    });
    await begun.promise;
    const written = put(db, 'written');
    meanwhile.resolve();
    await assert.rejects(undone, /undo it/);
    await written;
    assert.deepEqual(await names(db), ['written']);
    await db.destroy();
  });

  it('undoes all that a commit wrote when it throws', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const failing = db.commit((transaction) => {
      transaction.run(transaction.build.insertInto('settings').values({ name: 'undone', value: '' }));
      throw new Error('undo it');
    });
    await assert.rejects(failing, /undo it/);
    await put(db, 'written');
    assert.deepEqual(await names(db), ['written']);
    await db.destroy();
  });

  it('refuses work that waits, which would go on after the commit', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const waiting = db.commit(async (transaction) => {
      transaction.run(transaction.build.insertInto('settings').values({ name: 'undone', value: '' }));
    });
    await assert.rejects(waiting, /cannot wait/);
    assert.deepEqual(await names(db), []);
    await db.destroy();
  });
});
