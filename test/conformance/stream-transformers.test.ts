import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from '@langchain/langgraph-sdk';
import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { patience } from '../support/wait.ts';
import { all } from './real-sdk.ts';

const run = promisify(execFile);

const JAVASCRIPT = {
  'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:agent', broken: './agent.mjs:broken' } }),
  'agent.mjs': `
import { MessagesAnnotation, START, StateGraph, StreamChannel } from '@langchain/langgraph';
import { FakeListChatModel } from '@langchain/core/utils/testing';

const model = new FakeListChatModel({ responses: ['It is sunny.'] });

function letters() {
  const channel = StreamChannel.remote('letters');
  let count = 0;
  let resolve;
  const total = new Promise((settle) => { resolve = settle; });
  return {
    init: () => ({ letters: channel, total }),
    process(event) {
      const { data } = event.params;
      if (event.method === 'messages' && data.event === 'content-block-delta') {
        count += data.delta.text.length;
        channel.push({ count });
      }
      return true;
    },
    finalize: () => resolve({ count }),
  };
}

function failing() {
  return { init: () => ({}), process: () => true, finalize() { throw new Error('No end.'); } };
}

const builder = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }, config) => {
    config.writer({ name: 'mine', payload: 'as before' });
    return { messages: [await model.invoke(messages, config)] };
  })
  .addEdge(START, 'model');

export const agent = builder.compile({ transformers: [letters] });
export const broken = builder.compile({ transformers: [failing] });
`,
};

const PYTHON = {
  'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:agent' } }),
  'agent.py': `
from langchain_core.language_models import FakeListChatModel
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.stream import StreamChannel, StreamTransformer

model = FakeListChatModel(responses=["It is sunny."])


class Letters(StreamTransformer):
    required_stream_modes = ("messages",)

    def init(self):
        self.count = 0
        self.letters = StreamChannel("letters")
        return {"letters": self.letters}

    def process(self, event):
        if event["method"] == "messages":
            data, _ = event["params"]["data"]
            if isinstance(data, dict) and data["event"] == "content-block-delta":
                self.count += len(data["delta"]["text"])
                self.letters.push({"count": self.count})
        return True


async def call_model(state: MessagesState):
    get_stream_writer()({"name": "mine", "payload": "as before"})
    return {"messages": [await model.ainvoke(state["messages"])]}


agent = StateGraph(MessagesState).add_node("model", call_model).add_edge(START, "model").compile(transformers=[Letters])
`,
};

const INPUT = { messages: [{ role: 'user', content: 'The weather?' }] };
const COUNTS = [...'It is sunny.'].map((_, index) => ({ count: index + 1 }));

for (const language of ['JavaScript', 'Python'] as const) {
  describe(`stream transformers of a ${language} graph`, function () {
    this.timeout(120_000);
    let served: ServedProject;
    let python: string;
    before(async function () {
      if (language === 'JavaScript') {
        served = await serveProject({ empty: true, files: JAVASCRIPT });
        return;
      }
      python = await requirePython(this, 'langgraph-1.2');
      const given = await servablePythonProject(python, { empty: true, files: PYTHON });
      served = await serveProject({ given });
    });
    after(() => served?.[Symbol.asyncDispose]());

    for (const streamProtocol of ['v2', 'v2-websocket'] as const) {
      const client = () => new Client({ apiUrl: served.url, apiKey: null, streamProtocol });

      it(`are read by a client's extensions (${streamProtocol})`, async () => {
        const thread = client().threads.stream({ assistantId: 'agent' });
        const { letters, mine } = thread.extensions;
        const counts = all(letters as AsyncIterable<unknown>);
        await thread.run.start({ input: INPUT });
        assert.deepEqual(await counts, COUNTS);
        assert.deepEqual(await letters, { count: 12 });
        assert.equal(await mine, 'as before');
        if (language === 'JavaScript') assert.deepEqual(await thread.extensions.total, { count: 12 });
        await thread.close();
      });

      it(`leave the messages and the state unchanged (${streamProtocol})`, async () => {
        const thread = client().threads.stream({ assistantId: 'agent' });
        // In this SDK, a subscription that starts after the end of the run waits for the next run.
        const { messages } = thread;
        await thread.run.start({ input: INPUT });
        const texts: string[] = [];
        let pieces = 0;
        for await (const message of messages) {
          pieces += (await all(message.text)).length;
          texts.push(await message.text);
        }
        assert.deepEqual([texts, pieces], [['It is sunny.'], 12]);
        assert.match(JSON.stringify(await thread.output), /The weather\?.*It is sunny\./);
        await thread.close();
      });
    }

    it('do not change runs of the older protocol', async () => {
      const stream = new Client({ apiUrl: served.url, apiKey: null }).runs.stream(null, 'agent', {
        input: INPUT,
        streamMode: ['messages-tuple', 'custom'],
      });
      const parts = await all(stream);
      const tokens = parts.flatMap(({ event, data }) =>
        event === 'messages' ? [(data as { content: unknown }[])[0]?.content] : [],
      );
      assert.equal(tokens.join(''), 'It is sunny.');
      assert.deepEqual(
        parts.filter(({ event }) => event === 'custom').map(({ data }) => data),
        [{ name: 'mine', payload: 'as before' }],
      );
    });

    if (language === 'JavaScript') {
      it('fail the run when one of them fails at the end of the run', async () => {
        const client = new Client({ apiUrl: served.url, apiKey: null, streamProtocol: 'v2' });
        const thread = client.threads.stream({ assistantId: 'broken' });
        const lifecycle = await thread.subscribe('lifecycle');
        await thread.run.start({ input: INPUT });
        let error: string | undefined;
        for await (const { params } of lifecycle) {
          if (params.data.event === 'failed' && params.namespace.length === 0) error = params.data.error;
          if (error !== undefined) break;
        }
        assert.equal(error, 'No end.');
        await thread.close();
      });
    } else {
      it('are read by the Python SDK', async () => {
        const script = `
import asyncio, json, os
from langgraph_sdk import get_client

async def main():
    client = get_client(url=os.environ["AGENT_URL"])
    async with client.threads.stream(assistant_id="agent") as thread:
        await thread.run.start(input={"messages": [{"role": "user", "content": "Hi"}]})
        print(json.dumps([item async for item in thread.extensions["letters"]]))

asyncio.run(main())
`;
        const env = { ...process.env, AGENT_URL: served.url };
        const { stdout } = await run(python, ['-W', 'ignore', '-c', script], {
          env,
          timeout: 60_000 * patience,
        });
        const seen = (JSON.parse(stdout) as { payload: unknown }[]).map(({ payload }) => payload);
        assert.deepEqual(seen, COUNTS);
      });
    }
  });
}
