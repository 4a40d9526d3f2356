import assert from 'node:assert/strict';
import type { Client } from '@langchain/langgraph-sdk';
import { all } from '../real-sdk.ts';

export function threadsSuite(client: () => Client, version: string): void {
  const newest = version === '1.15.0';

  describe('threads', () => {
    async function counted(value: number) {
      const { threads, runs } = client();
      const { thread_id } = await threads.create();
      await runs.wait(thread_id, 'one_node', { input: { value } });
      return thread_id;
    }

    it('are created idle and empty, once only, and found again', async () => {
      const { threads } = client();
      const threadId = crypto.randomUUID();
      const made = await threads.create({ threadId, metadata: { a: 1 }, graphId: 'one_node' });
      assert.equal(made.thread_id, threadId);
      assert.equal(made.status, 'idle');
      assert.deepEqual(made.metadata, { a: 1, graph_id: 'one_node' });
      await assert.rejects(threads.create({ threadId }), /409/);
      assert.equal((await threads.create({ threadId, ifExists: 'do_nothing' })).thread_id, threadId);
      assert.deepEqual((await threads.get(threadId)).metadata, made.metadata);
    });

    it('are created from supersteps', async () => {
      const { threads } = client();
      const made = await threads.create({
        graphId: 'one_node',
        supersteps: [
          { updates: [{ values: { value: 3 }, asNode: '__input__' }] },
          { updates: [{ values: { value: 4 }, asNode: 'add' }] },
        ],
      });
      assert.deepEqual((await threads.getState(made.thread_id)).values, { value: 4 });
    });

    it('merge metadata, and can be given a time to live', async () => {
      const { threads } = client();
      const { thread_id } = await threads.create({ metadata: { a: 1 } });
      const updated = await threads.update(thread_id, { metadata: { b: 2 }, ttl: 60 });
      assert.deepEqual(updated.metadata, { a: 1, b: 2 });
      await threads.update(thread_id, { metadata: { c: 3 } });
      assert.deepEqual((await threads.get(thread_id)).metadata, { a: 1, b: 2, c: 3 });
    });

    it('are copied with their history, and then independent', async () => {
      const { threads, runs } = client();
      const source = await counted(1);
      const copy = await threads.copy(source);
      assert.ok(copy);
      const copyId = (copy as { thread_id?: string }).thread_id ?? '';
      assert.deepEqual((await threads.getState(copyId)).values, { value: 2 });
      await runs.wait(copyId, 'one_node', { input: { value: 10 } });
      assert.deepEqual((await threads.getState(source)).values, { value: 2 });
      assert.equal((await threads.getHistory(source)).length + 3, (await threads.getHistory(copyId)).length);
    });

    it('are searched by metadata, status, values and id, with select and paging', async () => {
      const { threads } = client();
      const mark = crypto.randomUUID();
      const made = [];
      for (let number = 0; number < 3; number++) {
        made.push(await threads.create({ metadata: { mark, number } }));
      }
      const found = await threads.search({
        metadata: { mark },
        sortBy: 'created_at',
        sortOrder: 'asc',
        limit: 2,
      });
      assert.deepEqual(
        found.map(({ metadata }) => metadata?.number),
        [0, 1],
      );
      const rest = await threads.search({ metadata: { mark }, sortOrder: 'asc', offset: 2 });
      assert.equal(rest[0]?.metadata?.number, 2);
      assert.equal((await threads.search({ metadata: { mark }, status: 'busy' })).length, 0);
      const chosen = await threads.search({ metadata: { mark }, select: ['thread_id'] });
      assert.deepEqual(Object.keys(chosen[0] ?? {}), ['thread_id']);
      assert.equal(await threads.count({ metadata: { mark } }), 3);
      const byId = await threads.search({ ids: [made[1]?.thread_id ?? ''] });
      assert.equal(byId.length, 1);
    });

    // 2.0.0 does not send it.
    if (newest) {
      it('are searched with extracted values, null where a path does not exist', async () => {
        const { threads } = client();
        const threadId = await counted(1);
        const paths = {
          at: 'values.value',
          none: 'values.nope[-1].deep',
          whole: 'values',
          by: 'metadata.graph_id',
        };
        const [found] = await threads.search({ ids: [threadId], select: ['thread_id'], extract: paths });
        assert.deepEqual(found, {
          thread_id: threadId,
          extracted: { at: 2, none: null, whole: { value: 2 }, by: 'one_node' },
        });
        await assert.rejects(threads.search({ extract: { all: 'kwargs.x' } }), /422.*must start with values/);
      });
    }

    it('return their current state, the state at a checkpoint, and their history', async () => {
      const { threads } = client();
      const threadId = await counted(5);
      const now = await threads.getState<{ value: number }>(threadId);
      assert.deepEqual(now.values, { value: 6 });
      assert.deepEqual(now.next, []);
      const history = await threads.getHistory<{ value: number }>(threadId, { limit: 10 });
      assert.equal(history[0]?.checkpoint.checkpoint_id, now.checkpoint.checkpoint_id);
      const first = history.at(-1);
      assert.equal(first?.metadata?.source, 'input');
      const before = history[1];
      const id = before?.checkpoint.checkpoint_id ?? '';
      assert.deepEqual((await threads.getState(threadId, id)).values, { value: 5 });
      assert.ok(before);
      assert.deepEqual((await threads.getState(threadId, before.checkpoint)).next, ['add']);
      const older = await threads.getHistory(threadId, { before: { configurable: { checkpoint_id: id } } });
      assert.equal(older.length, history.length - 2);
    });

    it('are updated manually, also as a node', async () => {
      const { threads } = client();
      const threadId = await counted(1);
      const updated = await threads.updateState(threadId, { values: { value: 40 }, asNode: 'add' });
      assert.equal(updated.configurable?.thread_id, threadId);
      assert.deepEqual((await threads.getState(threadId)).values, { value: 40 });
      await threads.patchState(threadId, { noted: true });
      assert.equal((await threads.get(threadId)).metadata?.noted, true);
    });

    it('show the state of interrupted subgraphs', async () => {
      const { threads, runs } = client();
      const { thread_id } = await threads.create();
      await runs.wait(thread_id, 'nested', { input: { topic: 'x' } });
      const thread = await threads.get(thread_id);
      assert.equal(thread.status, 'interrupted');
      assert.equal(Object.values(thread.interrupts ?? {}).flat().length, 1);
      const state = await threads.getState(thread_id, undefined, { subgraphs: true });
      assert.deepEqual(state.tasks[0]?.state?.next, ['inner_ask']);
    });

    it('are followed as one stream across runs', async () => {
      const { threads, runs } = client();
      const { thread_id } = await threads.create();
      await runs.wait(thread_id, 'one_node', { input: { value: 1 } });
      await runs.wait(thread_id, 'one_node', { input: { value: 10 } });
      const controller = new AbortController();
      const values: unknown[] = [];
      let ended = 0;
      for await (const { event, data } of threads.joinStream(thread_id, {
        lastEventId: '-',
        signal: controller.signal,
      })) {
        if (event === 'values') values.push(data);
        if (event === 'metadata' && typeof data === 'object' && data && 'status' in data) ended++;
        if (ended === 2) break;
      }
      controller.abort();
      assert.deepEqual(values, [{ value: 1 }, { value: 2 }, { value: 10 }, { value: 11 }]);
    });

    if (newest) {
      it('are pruned, and returned with only the selected fields', async () => {
        const { threads } = client();
        const threadId = await counted(1);
        const pruned = await threads.prune([threadId], { strategy: 'keep_latest' });
        assert.equal(pruned.pruned_count, 1);
        assert.equal((await threads.getHistory(threadId)).length, 1);
        assert.deepEqual((await threads.getState(threadId)).values, { value: 2 });
        await threads.prune([threadId]);
        await assert.rejects(threads.get(threadId), /404/);
      });

      it('are streamed by the v2 protocol', async () => {
        const thread = client().threads.stream({ assistantId: 'one_node' });
        await thread.run.start({ input: { value: 1 } });
        assert.deepEqual(await thread.output, { value: 2 });
        await thread.close();
      });
    }

    it('are deleted with their state and runs', async () => {
      const { threads, runs } = client();
      const threadId = await counted(1);
      await threads.delete(threadId);
      await assert.rejects(threads.get(threadId), /404/);
      await assert.rejects(threads.getState(threadId), /404/);
      await assert.rejects(runs.list(threadId), /404/);
    });

    it('are not waited for when they do not exist', async () => {
      const { threads } = client();
      const missing = crypto.randomUUID();
      await assert.rejects(threads.get(missing), /404/);
      await assert.rejects(threads.copy(missing), /404/);
      await assert.rejects(all(threads.joinStream(missing)), /404/);
    });
  });
}
