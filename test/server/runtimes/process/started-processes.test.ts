import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { serverProcess } from '../../../support/control-plane/server-process.ts';
import { endProcessTree, isAlive } from '../../../support/process-tree.ts';
import { type GraphProject, graphProject } from '../../../support/projects.ts';
import { requirePython, servablePythonProject } from '../../../support/python-projects.ts';
import { eventually } from '../../../support/wait.ts';

const JAVASCRIPT = `
import { spawn } from 'node:child_process';
import { Annotation, StateGraph } from '@langchain/langgraph';
const start = (script, detached = false) =>
  spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached }).pid;
export const graph = new StateGraph(Annotation.Root({ how: Annotation(), plain: Annotation(), detached: Annotation() }))
  .addNode('go', ({ how }) => {
    if (how === 'crash') process.kill(process.pid, 'SIGKILL');
    return { plain: [start('sleep 1000 & wait'), start("trap '' TERM; sleep 1000; sleep 1000")], detached: [start('sleep 1000', true)] };
  })
  .addEdge('__start__', 'go')
  .compile();
`;

const PYTHON = `
import os, signal, subprocess
from typing import TypedDict
from langgraph.graph import StateGraph

class State(TypedDict, total=False):
    how: str
    plain: list
    detached: list

def start(script, detached=False):
    return subprocess.Popen(["/bin/sh", "-c", script], start_new_session=detached).pid

def go(state):
    if state.get("how") == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    plain = [start("sleep 1000 & wait"), start("trap '' TERM; sleep 1000; sleep 1000")]
    return {"plain": plain, "detached": [start("sleep 1000", True)]}

builder = StateGraph(State)
builder.add_node("go", go)
builder.add_edge("__start__", "go")
graph = builder.compile()
`;

const config = (file: string) => JSON.stringify({ graphs: { graph: `${file}:graph` } });
const Opened = z.object({ deployment_url: z.string() });
const Pids = z.object({ plain: z.array(z.int()), detached: z.array(z.int()) });

const LANGUAGES: Readonly<Record<string, (context: Mocha.Context) => Promise<GraphProject>>> = {
  JavaScript: () =>
    graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: { 'graph.js': JAVASCRIPT, 'langgraph.json': config('./graph.js') },
    }),
  Python: async (context) =>
    servablePythonProject(await requirePython(context, 'langgraph-1.2'), {
      empty: true,
      files: { 'graph.py': PYTHON, 'langgraph.json': config('./graph.py') },
    }),
};

for (const [language, makeProject] of Object.entries(LANGUAGES)) {
  describe(`what a graph in ${language} has started`, function () {
    this.timeout(120_000);
    let project: GraphProject;
    let server: Awaited<ReturnType<typeof serverProcess>>;
    let client: Client;
    const seen: number[] = [];
    before(async function () {
      if (process.platform === 'win32') this.skip();
      project = await makeProject(this);
      server = await serverProcess();
    });
    after(async () => {
      endProcessTree(seen.filter(isAlive));
      await server?.[Symbol.asyncDispose]();
      await project?.[Symbol.asyncDispose]();
    });

    /**
     * Has the graph start processes: two in its group, one of which ignores requests to end, and a detached
     * one.
     */
    async function start() {
      const opened = await server.fetch('/harbor/workspaces', {
        method: 'POST',
        body: { config_path: `${project.folder}/langgraph.json`, port: 0 },
      });
      client = new Client({ apiUrl: Opened.parse(await opened.json()).deployment_url, apiKey: null });
      const pids = Pids.parse(await client.runs.wait(null, 'graph', { input: { how: 'stay' } }));
      seen.push(...pids.plain, ...pids.detached);
      assert.ok([...pids.plain, ...pids.detached].every(isAlive));
      return pids;
    }
    const haveEnded = (pids: readonly number[]) =>
      eventually(
        'they have ended',
        () => pids.filter(isAlive),
        (left) => left.length === 0,
      );

    it('ends with a server that is stopped, even what is detached', async () => {
      const { plain, detached } = await start();
      await server.stop();
      await haveEnded([...plain, ...detached]);
    });

    it('ends with a server that is killed', async () => {
      await server.start();
      const { plain } = await start();
      await server.kill();
      await haveEnded(plain);
    });

    it('ends with its own process', async () => {
      await server.start();
      const { plain } = await start();
      await client.runs.wait(null, 'graph', { input: { how: 'crash' } }).catch(() => {});
      await haveEnded(plain);
    });
  });
}
