import assert from 'node:assert/strict';
import type { Client } from '@langchain/langgraph-sdk';

export function storeSuite(client: () => Client): void {
  describe('the store', () => {
    it('stores items under namespaces, and returns null for missing ones', async () => {
      const { store } = client();
      await store.putItem(['users', 'ada'], 'likes', { tea: true, cups: 3 });
      const item = await store.getItem(['users', 'ada'], 'likes');
      assert.deepEqual(item?.value, { tea: true, cups: 3 });
      assert.deepEqual(item?.namespace, ['users', 'ada']);
      assert.ok(item?.createdAt && item.updatedAt);
      await store.deleteItem(['users', 'ada'], 'likes');
      assert.equal(await store.getItem(['users', 'ada'], 'likes'), null);
    });

    it('finds items by prefix and by their fields', async () => {
      const { store } = client();
      const root = `search-${crypto.randomUUID()}`;
      await store.putItem([root, 'a'], '1', { cups: 1, kind: 'tea' });
      await store.putItem([root, 'b'], '2', { cups: 5, kind: 'tea' });
      await store.putItem([root, 'b'], '3', { cups: 9, kind: 'coffee' });
      const keys = async (options: object) =>
        (await store.searchItems([root], options)).items.map(({ key }) => key).toSorted();
      assert.deepEqual(await keys({}), ['1', '2', '3']);
      assert.deepEqual(await keys({ filter: { kind: 'tea' } }), ['1', '2']);
      assert.deepEqual(await keys({ filter: { cups: { $gt: 4 } } }), ['2', '3']);
      assert.equal((await keys({ limit: 2, offset: 2 })).length, 1);
    });

    it('lists namespaces', async () => {
      const { store } = client();
      const root = `names-${crypto.randomUUID()}`;
      for (const path of [
        ['x', 'docs'],
        ['y', 'docs'],
        ['y', 'notes'],
      ]) {
        await store.putItem([root, ...path], 'key', { a: 1 });
      }
      const under = (options: object) => store.listNamespaces({ prefix: [root], ...options });
      assert.equal((await under({})).namespaces.length, 3);
      assert.deepEqual((await under({ maxDepth: 2 })).namespaces, [
        [root, 'x'],
        [root, 'y'],
      ]);
      assert.equal((await under({ suffix: ['docs'] })).namespaces.length, 2);
    });

    it('is shared with the graphs', async () => {
      const { store, runs } = client();
      const user = crypto.randomUUID();
      await store.putItem(['facts', user], 'old', { text: 'old' });
      const told = await runs.wait(null, 'memory', { input: { user, fact: 'new' } });
      assert.deepEqual((told as { known: string[] }).known, ['new', 'old']);
      assert.equal((await store.getItem(['facts', user], 'new'))?.value.text, 'new');
    });

    it('refuses labels that are empty', async () => {
      const { store } = client();
      await assert.rejects(store.putItem(['a', ''], 'key', {}), /422.*must not be empty/);
      await assert.rejects(store.putItem([], 'key', {}), /422/);
    });
  });
}
