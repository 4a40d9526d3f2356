import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Command } from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { all, type Coverage } from '../real-sdk.ts';

/** The message of a tool, or its text. */
const Output = z.union([
  z.string(),
  z.looseObject({ content: z.string() }).transform(({ content }) => content),
]);
const Checkpoints = z.looseObject({ checkpoints: z.array(z.looseObject({ id: z.string(), step: z.int() })) });

type Stream = ReturnType<Client['threads']['stream']>;

/** The v2 streaming protocol, over both of its transports. */
export function protocolSuite(url: () => string, coverage: Coverage): void {
  for (const streamProtocol of ['v2', 'v2-websocket'] as const) {
    describe(`the protocol ${streamProtocol}`, () => {
      const client = () => coverage.watch(new Client({ apiUrl: url(), apiKey: null, streamProtocol }));

      it('runs a graph and returns its output', async () => {
        const thread = client().threads.stream({ assistantId: 'ten_nodes' });
        const { run_id } = await thread.run.start({ input: { value: 0 } });
        assert.ok(run_id);
        assert.deepEqual(await thread.output, { value: 10 });
        assert.equal(thread.interrupted, false);
        await thread.close();
      });

      it('streams messages piece by piece', async () => {
        const thread = client().threads.stream({ assistantId: 'agent' });
        // In this SDK, a subscription that starts after the end of the run waits for the next run.
        const { messages } = thread;
        await thread.run.start({ input: { messages: [{ role: 'user', content: 'The weather in Paris?' }] } });
        const texts: string[] = [];
        let pieces = 0;
        for await (const message of messages) {
          pieces += (await all(message.text)).length;
          texts.push(await message.text);
        }
        assert.equal(texts.length, 2);
        assert.match(texts[1] ?? '', /sunny/);
        assert.ok(pieces > 2);
        await thread.close();
      });

      it('interrupts, is answered, and continues', async () => {
        const thread = client().threads.stream({ assistantId: 'approval' });
        await thread.run.start({ input: { topic: 'it' } });
        await thread.output;
        assert.equal(thread.interrupted, true);
        const [asked] = thread.interrupts;
        assert.deepEqual(asked?.payload, { question: 'Publish it?' });
        const state = await thread.state.get({ namespace: [] });
        assert.deepEqual(state.values, { topic: 'it', answers: ['draft of it'] });
        const values = await thread.subscribe('values');
        await thread.input.respond({
          namespace: [],
          interrupt_id: asked?.interruptId ?? '',
          response: 'yes',
        });
        const seen: unknown[] = [];
        for await (const event of values) {
          seen.push(event.params.data);
          if (JSON.stringify(event.params.data).includes('published')) break;
        }
        assert.deepEqual(seen.at(-1), { topic: 'it', answers: ['draft of it', 'yes', 'published'] });
        await thread.close();
      });

      it('refuses an answer to an unknown interrupt', async () => {
        const thread = client().threads.stream({ assistantId: 'approval' });
        await thread.run.start({ input: { topic: 'it' } });
        await thread.output;
        const answer = { namespace: [], interrupt_id: 'f'.repeat(32), response: 'yes' };
        await assert.rejects(thread.input.respond(answer), /no_such_interrupt|is not pending on this thread/);
        await thread.close();
      });

      it('reports subgraphs and their tree', async () => {
        const thread = client().threads.stream({ assistantId: 'nested' });
        await thread.run.start({ input: { topic: 'it' } });
        await thread.output;
        const { tree } = await thread.agent.getTree({});
        assert.equal(tree.graph_name, 'nested');
        assert.equal(tree.status, 'interrupted');
        assert.equal(tree.children?.[0]?.graph_name, 'child');
        await thread.close();
      });

      it('sends custom events to a client that also follows checkpoints', async () => {
        const thread = client().threads.stream({ assistantId: 'custom_events' });
        const events = await thread.subscribe(['custom', 'checkpoints']);
        await thread.run.start({ input: { count: 3 } });
        const payloads: unknown[] = [];
        for await (const event of events) {
          if (event.method === 'custom') payloads.push(event.params.data.payload);
          if (payloads.length === 3) break;
        }
        assert.deepEqual(payloads, [{ index: 0 }, { index: 1 }, { index: 2 }]);
        await thread.close();
      });

      it('finds what a node wrote with a name', async () => {
        const thread = client().threads.stream({ assistantId: 'custom_events' });
        const events = await thread.subscribe(['custom:progress']);
        await thread.run.start({ input: { count: 3, name: 'progress' } });
        const seen: unknown[] = [];
        for await (const payload of events) {
          seen.push(payload);
          if (seen.length === 3) break;
        }
        assert.deepEqual(
          seen,
          [0, 1, 2].map((index) => ({ name: 'progress', index })),
        );
        await thread.close();
      });

      it('resumes an interrupted thread with the next input', async () => {
        const thread = client().threads.stream({ assistantId: 'approval' });
        await thread.run.start({ input: { topic: 'it' } });
        await thread.output;
        assert.equal(thread.interrupted, true);
        const values = await thread.subscribe('values');
        await thread.run.start({ input: 'yes' });
        const seen: unknown[] = [];
        for await (const value of values) {
          seen.push(value);
          if (JSON.stringify(value).includes('published')) break;
        }
        const { values: reached } = await thread.state.get({ namespace: [] });
        assert.deepEqual(reached, { topic: 'it', answers: ['draft of it', 'yes', 'published'] });
        await thread.close();
      });

      it('follows calls of tools', async () => {
        const thread = client().threads.stream({ assistantId: 'agent' });
        const { toolCalls } = thread;
        await thread.run.start({ input: { messages: [{ role: 'user', content: 'weather in Rome' }] } });
        // This SDK yields each tool call twice: when it starts and when it ends.
        const calls = new Map<string, object>();
        for await (const { name, input, callId, output } of toolCalls)
          calls.set(callId, { name, input, output: Output.parse(await output) });
        assert.deepEqual(
          [...calls.values()],
          [{ name: 'get_weather', input: { city: 'Rome' }, output: 'It is sunny in Rome.' }],
        );
        await thread.close();
      });

      /** Events up to the last value, of those that come after `since`. */
      async function readToTen(thread: Stream, start: () => Promise<unknown>, since = 0) {
        const events = await thread.subscribe(['values', 'lifecycle']);
        await start();
        const seen: { seq: number; method: string; params: { data: unknown } }[] = [];
        for await (const { seq = 0, method, params } of events) {
          if (seq <= since) continue;
          seen.push({ seq, method, params });
          if (JSON.stringify(params.data) === '{"value":10}') break;
        }
        return seen;
      }

      it('forks from a checkpoint, and streams what follows it', async () => {
        const thread = client().threads.stream({ assistantId: 'ten_nodes' });
        const first = await readToTen(thread, () => thread.run.start({ input: { value: 0 } }));
        await thread.output;
        const { checkpoints } = Checkpoints.parse(await thread.state.listCheckpoints({ namespace: [] }));
        // The first step is the input's, and each of the others adds one.
        const checkpoint_id = checkpoints.find(({ step }) => step === 7)?.id;
        assert.ok(checkpoint_id !== undefined);
        const fork = { input: null, config: { configurable: { checkpoint_id } } };
        const forked = await readToTen(thread, () => thread.run.start(fork), first.at(-1)?.seq);
        assert.deepEqual(
          forked.flatMap(({ method, params }) => (method === 'values' ? [params.data] : [])),
          [7, 8, 9, 10].map((value) => ({ value })),
        );
        await thread.close();
      });

      it('sends a client that comes later the same events, with their times', async () => {
        const thread = client().threads.stream({ assistantId: 'ten_nodes' });
        const first = await readToTen(thread, () => thread.run.start({ input: { value: 0 } }));
        await thread.output;
        await thread.close();
        const later = client().threads.stream(thread.threadId, { assistantId: 'ten_nodes' });
        assert.deepEqual(await readToTen(later, async () => undefined), first);
        await later.close();
      });

      it('says why a run failed', async () => {
        const thread = client().threads.stream({ assistantId: 'throws' });
        const lifecycle = await thread.subscribe('lifecycle');
        await thread.run.start({ input: {} });
        let error: string | undefined;
        for await (const { params } of lifecycle) {
          if (params.data.event === 'failed' && params.namespace.length === 0) error = params.data.error;
          if (error !== undefined) break;
        }
        assert.equal(error, 'The node failed on purpose.');
        await thread.close();
      });
    });
  }

  describe('RemoteGraph’s streamEvents with version 3', () => {
    const graph = (graphId: string) => new RemoteGraph({ graphId, url: url() });
    const options = () => ({ version: 'v3', configurable: { thread_id: randomUUID() } }) as const;

    it('streams messages and values, and returns the output', async () => {
      const run = await graph('agent').streamEvents(
        { messages: [{ role: 'user', content: 'weather in Rome' }] },
        options(),
      );
      const [texts, values] = await Promise.all([
        all(run.messages).then((messages) => Promise.all(messages.map(({ text }) => text))),
        all(run.values),
      ]);
      assert.match(texts.at(-1) ?? '', /It is sunny in Rome/);
      const State = z.looseObject({ messages: z.array(z.unknown()) });
      assert.equal(State.parse(values.at(-1)).messages.length, 4);
      assert.deepEqual(await run.output, values.at(-1));
    });

    it('is interrupted, and resumes with a command', async () => {
      const config = options();
      const asked = await graph('approval').streamEvents({ topic: 'it' }, config);
      await asked.output;
      assert.deepEqual(
        [asked.interrupted, asked.interrupts.map(({ payload }) => payload)],
        [true, [{ question: 'Publish it?' }]],
      );
      const resumed = await graph('approval').streamEvents(new Command({ resume: 'yes' }), config);
      assert.deepEqual(await resumed.output, { topic: 'it', answers: ['draft of it', 'yes', 'published'] });
    });
  });
}
