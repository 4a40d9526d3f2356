import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { eventually } from '../support/wait.ts';

/** Runs of each kind by each reader, traced and not; `npm run soak` makes many more. */
const RUNS = Number(process.env.STREAM_RUNS ?? 6);
const TOKENS = 200;

const javascript = `
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

const python = `
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langgraph.graph import START, MessagesState, StateGraph


class Burst(BaseChatModel):
    @property
    def _llm_type(self):
        return "burst"

    def _generate(self, *args, **kwargs):
        raise NotImplementedError("It streams.")

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        for index in range(${TOKENS}):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=f"token{index} "))
            if run_manager is not None:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


model = Burst()


async def answer(state: MessagesState):
    return {"messages": [await model.ainvoke(state["messages"])]}


burst = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
`;

/** A piece of a message, or the last message of a state. */
const Said = z.tuple([z.enum(['messages', 'values']), z.string(), z.string()]);
type Said = z.output<typeof Said>;
const Message = z.looseObject({ type: z.string(), content: z.string() });
const Pieces = z.tuple([Message, z.unknown()]);
const State = z.object({ messages: z.array(Message) });

function said(event: string, data: unknown): Said[] {
  if (event !== 'messages' && event !== 'values') return [];
  const message = event === 'messages' ? Pieces.parse(data)[0] : State.parse(data).messages.at(-1);
  return message === undefined ? [] : [[event, message.type, message.content]];
}

const input = { messages: [{ role: 'user', content: 'Talk.' }] };
const stream_mode = ['messages-tuple', 'values'] as const;

/** Reads runs from every server in turn, with this many clients at once. */
type Reader = (urls: readonly string[], clients: number) => Promise<Said[][]>;

function each(read: (url: string) => Promise<Said[]>): Reader {
  return async (urls, clients) => {
    const left = Array.from({ length: RUNS }, () => urls).flat();
    const streams: Said[][] = [];
    const client = async () => {
      for (let url = left.pop(); url !== undefined; url = left.pop()) streams.push(await read(url));
    };
    await Promise.all(Array.from({ length: clients }, client));
    return streams;
  };
}

const bySdk = each(async (url) => {
  const client = new Client({ apiUrl: url });
  const { thread_id } = await client.threads.create();
  const seen: Said[] = [];
  const stream = client.runs.stream(thread_id, 'burst', { input, streamMode: [...stream_mode] });
  for await (const { event, data } of stream) seen.push(...said(event, data));
  return seen;
});

const byHttp = each(async (url) => {
  const response = await fetch(`${url}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assistant_id: 'burst', input, stream_mode }),
  });
  assert.equal(response.status, 200);
  const text = await response.text();
  return [...text.matchAll(/^event: (.*)\r?\ndata: (.*)$/gm)].flatMap(([, event = '', data = 'null']) =>
    said(event, JSON.parse(data)),
  );
});

const byPython =
  (interpreter: string): Reader =>
  async (urls, clients) => {
    const script = path.join(import.meta.dirname, 'python_streamed_text.py');
    const env = {
      ...process.env,
      AGENT_URLS: urls.join(' '),
      RUNS: String(RUNS),
      CLIENTS: String(clients),
    };
    const { stdout } = await promisify(execFile)(interpreter, ['-W', 'ignore', script], {
      env,
      maxBuffer: 100_000_000,
    });
    return stdout
      .trim()
      .split('\n')
      .map((line) => z.array(Said).parse(JSON.parse(line)));
  };

/**
 * Asserts that the streamed text is the text of the message, and that none of it follows the state that
 * contains it.
 */
function check(events: readonly Said[]): void {
  const whole = events.findLastIndex(([event]) => event === 'values');
  const [, type, text] = events[whole] ?? assert.fail('there is no state');
  assert.equal(type, 'ai');
  assert.equal(text, Array.from({ length: TOKENS }, (_, index) => `token${index} `).join(''));
  const first = events.findIndex(([event, , content]) => event === 'values' && content === text);
  assert.ok(events.slice(first).every(([event]) => event !== 'messages'));
  const pieces = events.filter(([event]) => event === 'messages');
  assert.equal(pieces.map(([, , content]) => content).join(''), text);
}

for (const language of ['JavaScript', 'Python'] as const) {
  describe(`the text of a model that never pauses, in ${language}`, function () {
    this.timeout(60_000 + RUNS * 4_000);
    let interpreter: string;
    /** Traced, and not traced. */
    const served: ServedProject[] = [];

    before(async function () {
      interpreter = await requirePython(this, 'langgraph-1.2');
      for (const env of [{}, { AGENT_HARBOR_TRACING: 'off' }]) served.push(await serve(env));
      const [traced, untraced] = served.map((one) => async () => {
        return (await one.log()).some((line) => line.startsWith('Runs are not traced'));
      });
      await eventually('one says that it traces no runs', async () => untraced?.());
      assert.equal(await traced?.(), false);
    });
    after(async () => {
      for (const one of served) await one[Symbol.asyncDispose]();
    });

    async function serve(env: Record<string, string>): Promise<ServedProject> {
      if (language === 'JavaScript') {
        const config = { env, graphs: { burst: './burst.js:burst' } };
        return serveProject({ concurrency: 16, files: { 'burst.js': javascript }, config });
      }
      const given = await servablePythonProject(interpreter, { files: { 'burst.py': python } });
      return serveProject({ concurrency: 16, given, config: { env, graphs: { burst: './burst.py:burst' } } });
    }

    for (const [name, reader] of [
      ['the SDK of JavaScript', () => bySdk],
      ['HTTP', () => byHttp],
      ['the SDK of Python', () => byPython(interpreter)],
    ] as const) {
      for (const clients of [1, 16]) {
        it(`is streamed completely before the state that contains it, traced or not, to ${clients} clients by ${name}`, async () => {
          const urls = served.map(({ url }) => url);
          const streams = await reader()(urls, clients);
          assert.equal(streams.length, RUNS * urls.length);
          for (const stream of streams) check(stream);
        });
      }
    }
  });
}
