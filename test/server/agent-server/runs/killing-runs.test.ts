import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { Client } from '@langchain/langgraph-sdk';
import type { GraphProject } from '../../../support/projects.ts';
import { requirePython, servablePythonProject } from '../../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { eventually, patience } from '../../../support/wait.ts';

const JAVASCRIPT = `
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ how: Annotation(), until: Annotation(), value: Annotation() });
export const graph = new StateGraph(State)
  .addNode('prepare', () => ({ value: 1 }))
  .addNode('go', async ({ how, until }) => {
    if (how === 'abort') process.abort();
    if (how === 'kill') process.kill(process.pid, 'SIGKILL');
    if (how === 'tell') await writeFile(until + '.pid', String(process.pid));
    while (until && !existsSync(until)) await sleep(50);
    return { value: 2 };
  })
  .addEdge('__start__', 'prepare')
  .addEdge('prepare', 'go')
  .compile();
`;

const PYTHON = `
import asyncio, os
from typing import Any, TypedDict
from langgraph.graph import StateGraph

class State(TypedDict, total=False):
    how: str
    until: str
    value: int

async def go(state):
    if state.get("how") == "kill":
        os.kill(os.getpid(), 9)
    if state.get("how") == "tell":
        with open(state["until"] + ".pid", "w") as file:
            file.write(str(os.getpid()))
    while state.get("until") and not os.path.exists(state["until"]):
        await asyncio.sleep(0.05)
    return {"value": 2}

builder = StateGraph(State)
builder.add_node("prepare", lambda state: {"value": 1})
builder.add_node("go", go)
builder.add_edge("__start__", "prepare")
builder.add_edge("prepare", "go")
graph = builder.compile()
`;

const config = (file: string) => JSON.stringify({ graphs: { graph: `${file}:graph` } });

interface Language {
  readonly serve: (context: Mocha.Context) => Promise<ServedProject>;
  /**
   * The server sees only signals, which are the same in both languages, so testing one of them in both is
   * enough.
   */
  readonly ways: readonly string[];
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  JavaScript: {
    serve: () =>
      serveProject({
        empty: true,
        files: { 'graph.js': JAVASCRIPT, 'langgraph.json': config('./graph.js') },
      }),
    ways: ['abort', 'kill'],
  },
  Python: {
    serve: async (context) => {
      const python = await requirePython(context, 'langgraph-1.2');
      const given: GraphProject = await servablePythonProject(python, {
        empty: true,
        files: { 'graph.py': PYTHON, 'langgraph.json': config('./graph.py') },
      });
      return serveProject({ given });
    },
    ways: ['kill'],
  },
};

for (const [language, { serve, ways }] of Object.entries(LANGUAGES)) {
  describe(`a run in ${language} that ends its process each time`, function () {
    this.timeout(120_000);
    let served: ServedProject;
    before(async function () {
      served = await serve(this);
    });
    after(() => served?.[Symbol.asyncDispose]());

    for (const [index, how] of ways.entries()) {
      it(`by ${how}, fails alone, and the others in the process reach their end`, async () => {
        const { threads, runs } = new Client({ apiUrl: served.url, apiKey: null });
        const until = `${served.project.folder}/${how}-is-over`;
        const start = async (input: Record<string, unknown>) => {
          const { thread_id } = await threads.create();
          const { run_id } = await runs.create(thread_id, 'graph', { input });
          return { thread_id, run_id };
        };
        const innocent = await Promise.all([start({ until }), start({ until })]);
        for (const { thread_id } of innocent)
          await eventually(
            'it is at its second node',
            async () => (await threads.getState(thread_id)).next,
            (next) => next.includes('go'),
          );
        const guilty = await start({ how });
        await runs.join(guilty.thread_id, guilty.run_id).catch(() => {});
        const failed = await threads.get(guilty.thread_id);
        assert.equal(failed.status, 'error');
        assert.match(JSON.stringify(failed.error), /RuntimeLostError.*3 times at the same step/);
        await writeFile(until, '');
        for (const { thread_id, run_id } of innocent) {
          await runs.join(thread_id, run_id);
          const { status } = await runs.get(thread_id, run_id);
          assert.deepEqual(
            { status, values: (await threads.getState<{ value: number }>(thread_id)).values.value },
            { status: 'success', values: 2 },
          );
        }
        const lines = (await served.log()).filter((line) => /in a separate process/.test(line));
        assert.ok(lines.length >= 3 * (index + 1), lines.join('\n'));
      }).timeout(60_000 * patience);
    }

    it('leaves its thread interrupted before the same node when it is canceled after its process was killed', async () => {
      const { threads, runs } = new Client({ apiUrl: served.url, apiKey: null });
      const { thread_id } = await threads.create();
      const until = `${served.project.folder}/never`;
      const { run_id } = await runs.create(thread_id, 'graph', { input: { how: 'tell', until } });
      const pid = await eventually(
        'its process is known',
        () => readFile(`${until}.pid`, 'utf8').catch(() => ''),
        (text) => text !== '',
      );
      process.kill(Number(pid), 'SIGKILL');
      await runs.cancel(thread_id, run_id, true);
      assert.equal((await runs.get(thread_id, run_id)).status, 'interrupted');
      const { status, values } = await threads.get<{ value: number }>(thread_id);
      assert.deepEqual([status, values.value], ['interrupted', 1]);
      assert.deepEqual((await threads.getState(thread_id)).next, ['go']);
      const found = await threads.search({ status: 'interrupted' });
      assert.ok(found.some((thread) => thread.thread_id === thread_id));
    });
  });
}
