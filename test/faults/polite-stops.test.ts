import assert from 'node:assert/strict';
import path from 'node:path';
import { z } from 'zod';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { isAlive } from '../support/process-tree.ts';
import { type GraphProject, graphProject } from '../support/projects.ts';
import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { eventually } from '../support/wait.ts';
import { call, Run, Thread } from './workload.ts';

const STEPS = 24;

/** Each step takes a moment and counts itself, so that one that is lost or done twice shows. */
const TICKS_TS = `
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { setTimeout as delay } from 'node:timers/promises';
const State = Annotation.Root({ value: Annotation<number>, ms: Annotation<number> });
export const ticks = new StateGraph(State)
  .addNode('tick', async ({ value, ms }) => {
    await delay(ms);
    return { value: value + 1 };
  })
  .addEdge(START, 'tick')
  .addConditionalEdges('tick', ({ value }) => (value < ${STEPS} ? 'tick' : END), ['tick', END])
  .compile();
`;
const TICKS_PY = `
import asyncio
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict):
    value: int
    ms: int

async def tick(state: State):
    await asyncio.sleep(state["ms"] / 1000)
    return {"value": state["value"] + 1}

builder = StateGraph(State)
builder.add_node("tick", tick)
builder.add_edge(START, "tick")
builder.add_conditional_edges("tick", lambda state: "tick" if state["value"] < ${STEPS} else END, ["tick", END])
ticks = builder.compile()
`;

const State = z.looseObject({ values: z.looseObject({ value: z.number() }) });
const Deployment = z.looseObject({ deployment_id: z.string(), deployment_url: z.string() });

/** The ways in which a server ends, or serves an agent no more. */
const STOPS: Readonly<Record<string, (server: ServerProcess, deploymentId: string) => Promise<unknown>>> = {
  SIGTERM: async ({ pid }) => process.kill(pid, 'SIGTERM'),
  SIGHUP: async ({ pid }) => process.kill(pid, 'SIGHUP'),
  SIGINT: async ({ pid }) => process.kill(pid, 'SIGINT'),
  'a request': (server) => server.fetch('/harbor/shutdown', { method: 'POST', body: { when: 'now' } }),
  // Three of them and more at different steps are no reason to give a run up.
  'kill -9': (server) => server.kill(),
  'another kill -9': (server) => server.kill(),
  'a third kill -9': (server) => server.kill(),
  'the closing of its folder': async (server, id) => {
    const closed = await server.fetch(`/harbor/workspaces/${id}/close`, { method: 'POST', body: {} });
    assert.equal(closed.status, 204, await closed.text());
    await server.stop();
  },
};

describe('a server that is told to end while runs are under way', function () {
  this.timeout(180_000);

  it('leaves them to the next start, whoever ended it, and those that were cancelled stay cancelled', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: { 'langgraph.json': '{"graphs":{"ticks":"./ticks.ts:ticks"}}', 'ticks.ts': TICKS_TS },
    });
    await survives(project, Object.keys(STOPS));
  });

  it('leaves those of Python graphs to the next start as well', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    await using project = await servablePythonProject(python, {
      files: { 'langgraph.json': '{"graphs":{"ticks":"./ticks.py:ticks"}}', 'ticks.py': TICKS_PY },
    });
    await survives(project, ['SIGTERM']);
  });
});

async function survives(project: GraphProject, stops: readonly string[]): Promise<void> {
  const config = path.join(project.folder, 'langgraph.json');
  await using server = await serverProcess({ args: ['--holder-grace-seconds', '600'] });
  const serve = async () => {
    const opened = await server.fetch('/harbor/workspaces', {
      method: 'POST',
      body: { config_path: config, port: 0 },
    });
    return Deployment.parse(await opened.json());
  };
  let deployment = await serve();
  const begin = async (stream_mode: string) => {
    const { thread_id } = await call(deployment.deployment_url, 'POST', '/threads', {}, Thread);
    const body = { assistant_id: 'ticks', input: { value: 0, ms: 150 }, stream_mode };
    return call(deployment.deployment_url, 'POST', `/threads/${thread_id}/runs`, body, Run);
  };
  const value = async ({ thread_id }: z.output<typeof Run>) => {
    const state = await fetch(`${deployment.deployment_url}/threads/${thread_id}/state`);
    return State.safeParse(await state.json()).data?.values.value ?? 0;
  };
  const get = (run: z.output<typeof Run>) =>
    call(deployment.deployment_url, 'GET', `/threads/${run.thread_id}/runs/${run.run_id}`, undefined, Run);

  const run = await begin('updates');
  const cancelled = await begin('values');
  const watched = await watchedRun(deployment.deployment_url);
  for (const name of stops) {
    const before = await value(run);
    await eventually(
      `steps before ${name}`,
      () => value(run),
      (at) => at > before,
      60_000,
    );
    if (name === 'SIGTERM') {
      const route = `/threads/${cancelled.thread_id}/runs/${cancelled.run_id}/cancel`;
      await call(deployment.deployment_url, 'POST', route, {}, z.unknown());
    }
    await STOPS[name]?.(server, deployment.deployment_id);
    await eventually(`${name} ends the server`, () => !isAlive(server.pid), Boolean, 20_000);
    await server.start();
    deployment = await serve();
    assert.equal((await get(cancelled)).status, 'interrupted', `the cancelled run after ${name}`);
    const { status } = await get(run);
    assert.ok(['pending', 'running'].includes(status), `${status} after ${name}`);
  }
  for (const each of [run, watched]) {
    const ended = await eventually('the run has ended', () => get(each), over, 60_000);
    assert.equal(ended.status, 'success');
    assert.equal(await value(each), STEPS);
  }
}

const over = ({ status }: { status: string }) => status !== 'pending' && status !== 'running';

/** One whose reader asked for it to be cancelled when the reader goes: being cut off is not that. */
async function watchedRun(url: string): Promise<z.output<typeof Run>> {
  const { thread_id } = await call(url, 'POST', '/threads', {}, Thread);
  const response = await fetch(`${url}/threads/${thread_id}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'ticks',
      input: { value: 0, ms: 150 },
      on_disconnect: 'cancel',
    }),
  });
  response.body?.pipeTo(new WritableStream()).catch(() => {});
  const [only] = await call(url, 'GET', `/threads/${thread_id}/runs`, undefined, z.array(Run));
  assert.ok(only !== undefined);
  return only;
}
