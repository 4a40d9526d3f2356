import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { requirePython, servablePythonProject } from '../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../support/served-project.ts';

const CHARS = 5_000_000;

const LOUD_JS = `
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(Annotation.Root({ value: Annotation() }))
  .addNode('shout', () => { throw new TypeError('E'.repeat(${CHARS})); })
  .addEdge(START, 'shout').addEdge('shout', END).compile();
`;

const LOUD_PY = `
from typing import TypedDict
from langgraph.graph import START, StateGraph

class State(TypedDict):
    value: int

def shout(state: State) -> State:
    raise TypeError("E" * ${CHARS})

graph = StateGraph(State).add_node("shout", shout).add_edge(START, "shout").compile()
`;

describe('an error of millions of characters', function () {
  this.timeout(120_000);
  const languages: Readonly<Record<string, (context: Mocha.Context) => Promise<ServedProject>>> = {
    JavaScript: () =>
      serveProject({ files: { 'loud.mjs': LOUD_JS }, config: { graphs: { loud: './loud.mjs:graph' } } }),
    Python: async (context) =>
      serveProject({
        given: await servablePythonProject(await requirePython(context, 'langgraph-1.2'), {
          empty: true,
          files: {
            'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { loud: './loud.py:graph' } }),
            'loud.py': LOUD_PY,
          },
        }),
      }),
  };
  for (const [language, serve] of Object.entries(languages)) {
    it(`of a ${language} graph is cut to its beginning in the run, the stream and the thread's state`, async function () {
      await using served = await serve(this);
      const client = new Client({ apiUrl: served.url, apiKey: null });
      const { thread_id } = await client.threads.create();
      const streamed: { event: string; data: unknown }[] = [];
      const run = { input: { value: 1 }, streamMode: ['tasks', 'debug'] as ('tasks' | 'debug')[] };
      for await (const part of client.runs.stream(thread_id, 'loud', run)) streamed.push(part);
      const said = JSON.stringify(streamed);
      assert.ok(said.length < CHARS / 10, `${said.length} characters were streamed`);
      const told = [
        JSON.stringify(streamed.find(({ event }) => event === 'error')?.data),
        JSON.stringify((await client.threads.getState(thread_id)).tasks[0]?.error),
        JSON.stringify((await client.threads.get(thread_id)).error),
      ];
      for (const text of told) {
        assert.match(text, /E{1000}/);
        assert.ok(text.length < CHARS / 10, `${text.length} characters`);
      }
    });
  }
});
