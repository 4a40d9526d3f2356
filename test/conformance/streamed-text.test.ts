import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { type ServedProject, serveProject } from '../support/served-project.ts';

/** Runs of each client; `npm run soak` makes many more. */
const RUNS = Number(process.env.STREAM_RUNS ?? 16);
const TOKENS = 200;

const graphs = `
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

class Burst extends BaseChatModel {
  _llmType() { return 'burst'; }
  async _generate() { throw new Error('It streams.'); }
  async *_streamResponseChunks(_messages, _options, runManager) {
    for (let index = 0; index < ${TOKENS}; index++) {
      const text = 'token' + index + ' ';
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const model = new Burst({});
export const burst = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge('__start__', 'answer')
  .compile();
`;

interface StreamedEvent {
  readonly event: string;
  readonly data: unknown;
}

const input = { messages: [{ role: 'user', content: 'Talk.' }] };
const stream_mode = ['messages-tuple', 'values'] as const;

describe('what a model says that never pauses', function () {
  this.timeout(60_000 + RUNS * 2_000);
  let served: ServedProject;

  before(async () => {
    served = await serveProject({
      concurrency: 16,
      files: { 'burst.js': graphs },
      config: { graphs: { burst: './burst.js:burst' } },
    });
  });
  after(() => served?.[Symbol.asyncDispose]());

  async function bySdk(): Promise<StreamedEvent[]> {
    const client = new Client({ apiUrl: served.url });
    const { thread_id } = await client.threads.create();
    const events: StreamedEvent[] = [];
    for await (const { event, data } of client.runs.stream(thread_id, 'burst', {
      input,
      streamMode: [...stream_mode],
    })) {
      events.push({ event, data });
    }
    return events;
  }

  async function byHttp(): Promise<StreamedEvent[]> {
    const response = await fetch(`${served.url}/runs/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: 'burst', input, stream_mode }),
    });
    assert.equal(response.status, 200);
    const text = await response.text();
    return [...text.matchAll(/^event: (.*)\r?\ndata: (.*)$/gm)].map(([, event = '', data = 'null']) => ({
      event,
      data: JSON.parse(data),
    }));
  }

  /** What was streamed is what was said, and nothing of it comes after the state that has it. */
  function check(events: readonly StreamedEvent[]): void {
    const pieces = events.filter(({ event }) => event === 'messages') as { data: [{ content: string }] }[];
    const streamed = pieces.map(({ data }) => data[0].content).join('');
    const states = events.filter(({ event }) => event === 'values') as {
      data: { messages: { type: string; content: string }[] };
    }[];
    const said = states.at(-1)?.data.messages.at(-1);
    assert.equal(said?.type, 'ai');
    assert.equal(said.content.split(' ').length, TOKENS + 1);
    assert.equal(streamed, said.content);
    const whole = events.findIndex(({ data }) => data === states.at(-1)?.data);
    assert.ok(events.slice(whole).every(({ event }) => event !== 'messages'));
  }

  for (const [name, stream] of [
    ['the SDK of JavaScript', bySdk],
    ['HTTP', byHttp],
  ] as const) {
    for (const clients of [1, 4, 16]) {
      it(`is streamed to its end before the state that has it, to ${clients} clients by ${name}`, async () => {
        let left = RUNS;
        const client = async () => {
          while (left-- > 0) check(await stream());
        };
        await Promise.all(Array.from({ length: clients }, client));
      });
    }
  }
});
