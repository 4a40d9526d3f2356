import assert from 'node:assert/strict';
import type { Client } from '@langchain/langgraph-sdk';
import { eventually, patience } from '../../support/wait.ts';
import { all } from '../real-sdk.ts';

export function runsSuite(client: () => Client, version: string): void {
  const newest = version === '1.15.0';

  describe('runs', () => {
    async function thread(): Promise<string> {
      return (await client().threads.create()).thread_id;
    }
    const slow = { input: { ms: 20_000 } };
    const begun = (threadId: string) =>
      eventually(
        'its node works',
        async () => (await client().threads.getState(threadId)).next[0] === 'work',
      );

    it('stream in every mode', async () => {
      const { runs } = client();
      const created: unknown[] = [];
      const events = await all(
        runs.stream(await thread(), 'agent', {
          input: { messages: [{ role: 'user', content: 'What is the weather in Paris?' }] },
          streamMode: [
            'values',
            'updates',
            'messages',
            'messages-tuple',
            'events',
            'debug',
            'tasks',
            'checkpoints',
            'custom',
          ],
          onRunCreated: (run) => created.push(run),
        }),
      );
      const kinds = new Set(events.map(({ event }) => event));
      for (const kind of [
        'metadata',
        'values',
        'updates',
        'messages',
        'messages/metadata',
        'messages/partial',
        'messages/complete',
        'events',
        'debug',
        'tasks',
        'checkpoints',
      ]) {
        assert.ok(kinds.has(kind as never), `${kind} among ${[...kinds].join(', ')}`);
      }
      assert.equal(created.length, 1);
      assert.equal(events[0]?.event, 'metadata');
      assert.ok(!kinds.has('end' as never));
    });

    it('stream custom events and events of subgraphs with their namespace', async () => {
      const { runs } = client();
      const custom = await all(
        runs.stream(null, 'custom_events', { input: { count: 3 }, streamMode: 'custom' }),
      );
      assert.deepEqual(
        custom.filter(({ event }) => event === 'custom').map(({ data }) => data),
        [{ index: 0 }, { index: 1 }, { index: 2 }],
      );
      const nested = await all(
        runs.stream(await thread(), 'nested', {
          input: { topic: 'x' },
          streamMode: 'updates',
          streamSubgraphs: true,
        }),
      );
      assert.ok(nested.some(({ event }) => /^updates\|child:/.test(event)));
      if (!newest) return;
      const root = await all(
        runs.stream(await thread(), 'nested', {
          input: { topic: 'x' },
          streamMode: 'updates',
          streamSubgraphs: true,
          streamNamespaces: [''],
        }),
      );
      assert.ok(root.some(({ event }) => event === 'updates'));
      assert.ok(!root.some(({ event }) => event.includes('|')));
    });

    it('are waited for, on a thread and without one', async () => {
      const { runs } = client();
      assert.deepEqual(await runs.wait(await thread(), 'ten_nodes', { input: { value: 0 } }), { value: 10 });
      assert.deepEqual(await runs.wait(null, 'one_node', { input: { value: 1 } }), { value: 2 });
    });

    it('raise the graph’s error, and leave the thread in error', async () => {
      const { runs, threads } = client();
      const threadId = await thread();
      await assert.rejects(runs.wait(threadId, 'throws', { input: {} }), /RangeError.*on purpose/);
      assert.equal((await threads.get(threadId)).status, 'error');
      const events = await all(runs.stream(threadId, 'throws', { input: {} }));
      assert.deepEqual(events.at(-1)?.data, { error: 'RangeError', message: 'The node failed on purpose.' });
    });

    it('are created in the background, listed, read, joined and deleted', async () => {
      const { runs } = client();
      const threadId = await thread();
      const made = await runs.create(threadId, 'one_node', { input: { value: 1 }, metadata: { a: 1 } });
      assert.deepEqual(await runs.join(threadId, made.run_id), { value: 2 });
      const got = await runs.get(threadId, made.run_id);
      assert.equal(got.status, 'success');
      assert.equal(got.metadata?.a, 1);
      assert.equal((await runs.list(threadId, { limit: 5, status: 'success' })).length, 1);
      assert.equal((await runs.list(threadId, { offset: 1 })).length, 0);
      await runs.delete(threadId, made.run_id);
      await assert.rejects(runs.get(threadId, made.run_id), /404/);
    });

    it('are joined later with their own result, even after later runs on the thread', async () => {
      const { runs, threads } = client();
      const threadId = await thread();
      const first = await runs.create(threadId, 'one_node', { input: { value: 1 } });
      assert.deepEqual(await runs.join(threadId, first.run_id), { value: 2 });
      const second = await runs.create(threadId, 'one_node', { input: { value: 10 } });
      assert.deepEqual(await runs.join(threadId, second.run_id), { value: 11 });
      assert.deepEqual(await runs.join(threadId, first.run_id), { value: 2 });
      await threads.updateState(threadId, { values: { value: 50 } });
      assert.deepEqual(await runs.join(threadId, second.run_id), { value: 11 });
      const delayed = await runs.create(threadId, 'one_node', { input: { value: 1 }, afterSeconds: 600 });
      await runs.cancel(threadId, delayed.run_id, true);
      assert.deepEqual(await runs.join(threadId, delayed.run_id), {});
      const other = await thread();
      const asks = await runs.create(other, 'approval', { input: { topic: 'it' } });
      const asked = await runs.join(other, asks.run_id);
      assert.ok('__interrupt__' in asked);
      await runs.wait(other, 'approval', { command: { resume: 'yes' } });
      assert.deepEqual(await runs.join(other, asks.run_id), asked);
    });

    it('are created in batches', async () => {
      const { runs } = client();
      const made = await runs.createBatch([
        { assistantId: 'one_node', input: { value: 1 }, streamMode: 'values' },
        { assistantId: 'one_node', input: { value: 2 } },
      ]);
      assert.equal(made.length, 2);
      assert.notEqual(made[0]?.run_id, made[1]?.run_id);
    });

    it('are joined by any number of readers, from the start or from an event on, also after the end', async () => {
      const { runs } = client();
      const threadId = await thread();
      const { run_id } = await runs.create(threadId, 'ten_nodes', {
        input: { value: 0 },
        streamMode: 'updates',
        streamResumable: true,
      });
      const readers = await Promise.all([
        all(runs.joinStream(threadId, run_id, { lastEventId: '-1' })),
        all(runs.joinStream(threadId, run_id, { lastEventId: '-1' })),
      ]);
      const late = await all(runs.joinStream(threadId, run_id, { lastEventId: '-1' }));
      for (const read of [...readers, late]) {
        assert.equal(read.filter(({ event }) => event === 'updates').length, 10);
      }
      const rest = await all(runs.joinStream(threadId, run_id, { lastEventId: '6' }));
      assert.deepEqual(rest, late.slice(6));
      const others = await all(
        runs.joinStream(threadId, run_id, { lastEventId: '-1', streamMode: 'values' }),
      );
      assert.ok(others.every(({ event }) => event === 'metadata'));
    });

    it('interrupt, and continue with the answer', async () => {
      const { runs, threads } = client();
      const threadId = await thread();
      const events = await all(
        runs.stream(threadId, 'approval', { input: { topic: 'it' }, streamMode: ['values', 'updates'] }),
      );
      assert.ok(
        events.some(({ data }) => typeof data === 'object' && data !== null && '__interrupt__' in data),
      );
      assert.equal((await threads.get(threadId)).status, 'interrupted');
      const done = await runs.wait(threadId, 'approval', { command: { resume: 'yes' } });
      assert.deepEqual(done, { topic: 'it', answers: ['draft of it', 'yes', 'published'] });
      assert.equal((await threads.get(threadId)).status, 'idle');
    });

    it('follow their command when they also have an input', async () => {
      const { runs } = client();
      const threadId = await thread();
      await runs.wait(threadId, 'approval', { input: { topic: 'it' } });
      const both = { input: { topic: 'another' }, command: { resume: 'yes' } };
      const done = await runs.wait(threadId, 'approval', both);
      assert.deepEqual(done, { topic: 'it', answers: ['draft of it', 'yes', 'published'] });
    });

    it('stop before and after given nodes', async () => {
      const { runs, threads } = client();
      const threadId = await thread();
      await runs.wait(threadId, 'ten_nodes', { input: { value: 0 }, interruptBefore: ['step3'] });
      assert.deepEqual((await threads.getState(threadId)).next, ['step3']);
      await runs.wait(threadId, 'ten_nodes', { input: null, interruptAfter: ['step5'] });
      assert.deepEqual((await threads.getState(threadId)).next, ['step6']);
      assert.deepEqual(await runs.wait(threadId, 'ten_nodes', { input: null }), { value: 10 });
    });

    it('start from an older checkpoint, and at the node of a command', async () => {
      const { runs, threads } = client();
      const threadId = await thread();
      await runs.wait(threadId, 'ten_nodes', { input: { value: 0 } });
      const history = await threads.getHistory(threadId, { limit: 20 });
      const third = history.find(({ next }) => next[0] === 'step3');
      assert.ok(third?.checkpoint.checkpoint_id);
      const again = await runs.wait(threadId, 'ten_nodes', {
        input: null,
        checkpointId: third.checkpoint.checkpoint_id,
      });
      assert.deepEqual(again, { value: 10 });
      const other = await thread();
      await runs.wait(other, 'router', { input: { topic: 'left' } });
      const went = await runs.wait(other, 'router', { command: { goto: 'right' } });
      assert.deepEqual((went as { answers: string[] }).answers.at(-1), 'went right');
    });

    it('are canceled, and the thread can be used again', async () => {
      const { runs, threads } = client();
      const threadId = await thread();
      const { run_id } = await runs.create(threadId, 'slow', slow);
      await begun(threadId);
      await runs.cancel(threadId, run_id, true);
      assert.equal((await runs.get(threadId, run_id)).status, 'interrupted');
      assert.deepEqual(await runs.wait(threadId, 'slow', { input: { ms: 1 } }), { ms: 1, log: 'worked' });
      const second = await runs.create(threadId, 'slow', slow);
      await runs.cancel(threadId, second.run_id, true, 'rollback');
      await assert.rejects(runs.get(threadId, second.run_id), /404/);
      assert.deepEqual((await threads.getState(threadId)).values, { ms: 1, log: 'worked' });
      const third = await runs.create(threadId, 'slow', slow);
      const reason = { reason: 'taken' } as const;
      if (version === '1.15.0') {
        await assert.rejects(runs.cancel(threadId, third.run_id, true, 'rollback', reason), /422.*interrupt/);
      }
      await runs.cancel(threadId, third.run_id, true, 'interrupt', reason);
      const taken = (await runs.get(threadId, third.run_id)).cancel_reason;
      assert.match(taken ?? 'none', version === '1.15.0' ? /^taken:/ : /^none$/);
    });

    for (const strategy of ['reject', 'interrupt', 'rollback', 'enqueue'] as const) {
      it(`follow the strategy ${strategy} on a busy thread`, async () => {
        const { runs } = client();
        const threadId = await thread();
        const first = await runs.create(threadId, 'slow', {
          input: { ms: strategy === 'enqueue' ? 1_000 * patience : 20_000 },
        });
        await begun(threadId);
        const second = runs.wait(threadId, 'slow', { input: { ms: 1 }, multitaskStrategy: strategy });
        if (strategy === 'reject') {
          await assert.rejects(second, /409.*already running/);
          await runs.cancel(threadId, first.run_id, true);
          return;
        }
        assert.deepEqual(await second, { ms: 1, log: 'worked' });
        if (strategy === 'rollback')
          return void (await assert.rejects(runs.get(threadId, first.run_id), /404/));
        const expected = strategy === 'enqueue' ? 'success' : 'interrupted';
        assert.equal((await runs.get(threadId, first.run_id)).status, expected);
      });
    }

    it('create a missing thread with if_not_exists', async () => {
      const { runs, threads } = client();
      const threadId = crypto.randomUUID();
      await assert.rejects(runs.wait(threadId, 'one_node', { input: { value: 1 } }), /404/);
      await runs.wait(threadId, 'one_node', { input: { value: 1 }, ifNotExists: 'create' });
      assert.equal((await threads.get(threadId)).metadata?.graph_id, 'one_node');
    });

    it('wait for after_seconds', async () => {
      const { runs } = client();
      const threadId = await thread();
      const start = Date.now();
      await runs.wait(threadId, 'one_node', { input: { value: 1 }, afterSeconds: 1 });
      assert.ok(Date.now() - start >= 950);
    });

    it('carry context, config, tags and feedback links', async () => {
      const { runs } = client();
      const answered = await runs.wait(null, 'with_zod', {
        input: { question: 'Who?' },
        context: { model: 'fake' },
      });
      assert.deepEqual(answered, { question: 'Who? (fake)', count: 1 });
      const greeted = await runs.wait(null, 'factory', {
        input: { name: 'Ada' },
        config: { configurable: { greeting: 'Bonjour' }, tags: ['a'], recursion_limit: 7 },
      });
      assert.deepEqual(greeted, { name: 'Ada', text: 'Bonjour, Ada' });
      const events = await all(
        runs.stream(await thread(), 'one_node', { input: { value: 1 }, feedbackKeys: ['helpful'] }),
      );
      const links = events.find(({ event }) => String(event) === 'feedback')?.data as unknown;
      assert.match((links as { helpful: string }).helpful, /^http.*\/feedback\/tokens\//);
    });

    for (const durability of ['sync', 'async', 'exit'] as const) {
      it(`keep their state with durability ${durability}`, async () => {
        const { runs, threads } = client();
        const threadId = await thread();
        await runs.wait(threadId, 'ten_nodes', { input: { value: 0 }, durability });
        assert.deepEqual((await threads.getState(threadId)).values, { value: 10 });
        const history = await threads.getHistory(threadId, { limit: 100 });
        assert.equal(history.length, durability === 'exit' ? 1 : 12);
      });
    }

    if (newest) {
      it('are canceled in batches', async () => {
        const { runs } = client();
        const threadId = await thread();
        const made = await Promise.all([1, 2].map(() => runs.create(threadId, 'slow', slow)));
        await runs.cancelMany({ threadId, status: 'all' });
        for (const { run_id } of made) {
          await eventually(
            'it is canceled',
            async () => (await runs.get(threadId, run_id)).status === 'interrupted',
          );
        }
      });
    }
  });
}
