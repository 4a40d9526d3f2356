import assert from 'node:assert/strict';
import { ItemStore } from '../../../../../src/server/agent-server/data/items/item-store.ts';
import { HttpError } from '../../../../../src/server/http/errors.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../../support/deployment-database.ts';

describe('items of a store', () => {
  for (const [namespace, key] of [
    [['users'], 'a\0b'],
    [['a\0b'], 'key'],
  ] as const)
    it(`are not put with a null character in ${JSON.stringify([namespace, key])}, which another name could not be told from`, async () => {
      const { db } = await deploymentDatabase();
      const items = new ItemStore(db, DEPLOYMENT);
      await assert.rejects(
        items.put({ op: 'put', namespace: [...namespace], key, value: {} }),
        (error) => error instanceof HttpError && error.status === 422,
      );
      await db.destroy();
    });

  it('are not found by a label that contains the separator of stored labels', async () => {
    const { db } = await deploymentDatabase();
    const items = new ItemStore(db, DEPLOYMENT);
    await items.put({ op: 'put', namespace: ['users', 'one'], key: 'key', value: {} });
    const joined = ['users\u001fone'];
    const isRefused = (error: unknown) => error instanceof HttpError && error.status === 422;
    await assert.rejects(items.get(joined, 'key', false), isRefused);
    await assert.rejects(items.put({ op: 'put', namespace: joined, key: 'key', value: {} }), isRefused);
    await assert.rejects(items.search({ namespace_prefix: joined, limit: 1, offset: 0 }), isRefused);
    await db.destroy();
  });
});
