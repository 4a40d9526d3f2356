import assert from 'node:assert/strict';
import { z } from 'zod';
import { Client } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { sendEarlierRuns } from '../../../../src/extension/panels/run/earlier-runs.ts';
import { FeedbackLinks } from '../../../../src/extension/panels/run/feedback-links.ts';
import { Journal } from '../../../../src/extension/panels/run/journal.ts';
import type { JournalEntry } from '../../../../src/extension/panels/run/journal-entry.ts';
import { nodesByMessage } from '../../../../src/extension/panels/run/message-nodes.ts';
import { readSubagent } from '../../../../src/extension/panels/run/read-subagent.ts';
import { readRunCost } from '../../../../src/extension/panels/run/run-trace.ts';
import { serveProject } from '../../../support/served-project.ts';
import { patience } from '../../../support/wait.ts';

const Conversation = z.looseObject({ messages: z.array(z.looseObject({ id: z.string() })) });

const Spoken = z.looseObject({
  messages: z.array(z.looseObject({ id: z.string(), type: z.string(), content: z.unknown() })),
});

/** A graph whose tool asks another one. */
const ASKS = `
import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { agent } from './chat.ts';
import { FakeModel } from './fake-model.ts';

const model = new FakeModel({});
const ask = tool(
  async ({ city }, config) => {
    const { messages } = await agent.invoke({ messages: [new HumanMessage('weather in ' + city)] }, config);
    return messages.at(-1).text;
  },
  { name: 'get_weather', description: 'Asks.', schema: z.object({ city: z.string() }) },
);

export const asks = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
  .addNode('tools', new ToolNode([ask]))
  .addEdge(START, 'model')
  .addEdge('model', 'tools')
  .compile();
`;

type EntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

function ofType<const T extends JournalEntry['type']>(entries: readonly JournalEntry[], type: T) {
  return entries.filter((entry): entry is EntryOf<T> => entry.type === type);
}

describe('a thread that is opened again', function () {
  this.timeout(120_000);

  it('has the ends of its earlier runs, with their times, feedback keys and feedback', async () => {
    await using served = await serveProject({
      files: { 'asks.ts': ASKS },
      config: { graphs: { agent: './chat.ts:agent', asks: './asks.ts:asks' } },
    });
    await using cleanup = new AsyncDisposableStack();
    const dispatcher = cleanup.adopt(createDispatcher(), (made) => made.destroy());
    const { platformUrl: baseUrl, apiKey, url: deploymentUrl } = served;
    const client = new Client({
      connection: localConnection({ baseUrl, apiKey, deploymentUrl }),
      dispatcher,
    });
    const { thread_id } = await client.threads.create({ body: {} });
    const params = { thread_id };
    for (const content of ['The weather in Paris?', 'Thanks', 'Bye']) {
      const input = { messages: [{ role: 'user', content }] };
      await client.runs.wait({
        params,
        body: { assistant_id: 'agent', input, feedback_keys: [content === 'Thanks' ? 'polite' : 'helpful'] },
      });
    }
    const runs = await client.runs.list({ params, query: {} });
    const [third, second, first] = runs.map(({ run_id }) => run_id ?? '');
    await client.tracing.feedback.create({ body: { run_id: first ?? '', key: 'helpful', score: 1 } });
    // Newer feedback fills the first page of the list.
    for (let count = 0; count < 100; count++)
      await client.tracing.feedback.create({
        body: { run_id: second ?? '', key: `check ${count}`, score: 1 },
      });

    const signal = AbortSignal.timeout(60_000 * patience);
    await Promise.all(runs.map(({ run_id }) => readRunCost(client, run_id ?? '', signal)));

    const states = await client.threads.history({ params, body: { limit: 30 } });
    const { messages: said } = Spoken.parse(states[0]?.values);
    const answers = said.filter(({ type }) => type === 'ai');
    assert.equal(answers.length, 4, 'one of them is a call');
    assert.deepEqual(nodesByMessage(states), Object.fromEntries(answers.map(({ id }) => [id, 'model'])));

    assert.equal(await readSubagent(client, thread_id, states, 'call_1'), undefined, 'a plain tool');
    const asking = await client.threads.create({ body: {} });
    await client.runs.wait({
      params: asking,
      body: {
        assistant_id: 'asks',
        input: { messages: [{ role: 'user', content: 'The weather in Rome?' }] },
      },
    });
    const later = await client.threads.history({ params: asking, body: {} });
    const asked = Spoken.parse(await readSubagent(client, asking.thread_id, later, 'call_1'));
    assert.deepEqual(
      asked.messages.map(({ type, content }) => `${type}: ${content}`),
      ['human: weather in Rome', 'ai: ', 'tool: It is sunny in Rome.', 'ai: You said: It is sunny in Rome.'],
    );

    const journal = new Journal();
    const feedback = new FeedbackLinks(async () => client);
    let entries: readonly JournalEntry[] = [];
    try {
      await sendEarlierRuns({ client, threadId: thread_id, except: third, journal, feedback, signal });
      journal.play((all) => {
        entries = all;
      });
    } finally {
      journal.dispose();
    }
    const turns = ofType(entries, 'turn-ended');
    assert.deepEqual(
      turns.map(({ run_id, outcome, next }) => [run_id, outcome, next]),
      [
        [second, 'success', []],
        [first, 'success', []],
      ],
    );
    // Each is the last message of its turn, in the order of the conversation.
    const { values } = await client.threads.getState({ params });
    const ids = Conversation.parse(values).messages.map(({ id }) => id);
    const places = turns.map(({ message_id }) => ids.indexOf(message_id));
    assert.deepEqual(places, [5, 3]);
    const keys = new Map(ofType(entries, 'feedback-asked').map((entry) => [entry.run_id, entry.keys]));
    assert.deepEqual(
      [first, second].map((id) => keys.get(id ?? '')),
      [['helpful'], ['polite']],
    );
    assert.deepEqual(
      new Set(ofType(entries, 'run-traced').map(({ run_id }) => run_id)),
      new Set([first, second]),
    );
    assert.deepEqual(
      ofType(entries, 'feedback-given')
        .filter(({ feedback }) => feedback.key === 'helpful')
        .map(({ run_id, feedback }) => [run_id, feedback.score]),
      [[first, 1]],
    );
  });
});
