import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { isAlive } from '../support/process-tree.ts';
import { type GraphProject, graphProject } from '../support/projects.ts';
import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { eventually } from '../support/wait.ts';
import type { JournaledRun } from './journal.ts';
import { call, follow, Run, Thread } from './workload.ts';

/**
 * Each step takes a moment and counts itself, so that lost or repeated steps are noticed; a file ends the
 * steps.
 */
const TICKS_TS = `
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
const State = Annotation.Root({ value: Annotation<number>, end: Annotation<string> });
export const ticks = new StateGraph(State)
  .addNode('tick', async ({ value }) => {
    await delay(100);
    return { value: value + 1 };
  })
  .addEdge(START, 'tick')
  .addConditionalEdges('tick', ({ end }) => (existsSync(end) ? END : 'tick'), ['tick', END])
  .compile();
export const both = new StateGraph(State)
  .addNode('quick', () => ({ value: 1 }))
  .addNode('slow', async ({ end }) => {
    while (!existsSync(end)) await delay(100);
    return { end: 'slow' };
  })
  .addEdge(START, 'quick')
  .addEdge(START, 'slow')
  .compile();
`;
const TICKS_PY = `
import asyncio
import os
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict):
    value: int
    end: str

async def tick(state: State):
    await asyncio.sleep(0.1)
    return {"value": state["value"] + 1}

builder = StateGraph(State)
builder.add_node("tick", tick)
builder.add_edge(START, "tick")
builder.add_conditional_edges("tick", lambda state: END if os.path.exists(state["end"]) else "tick", ["tick", END])
ticks = builder.compile()

async def slow(state: State):
    while not os.path.exists(state["end"]):
        await asyncio.sleep(0.1)
    return {"end": "slow"}

builder = StateGraph(State)
builder.add_node("quick", lambda state: {"value": 1})
builder.add_node("slow", slow)
builder.add_edge(START, "quick")
builder.add_edge(START, "slow")
both = builder.compile()
`;

const State = z.looseObject({ values: z.looseObject({ value: z.number() }) });
const Deployment = z.looseObject({ deployment_id: z.string(), deployment_url: z.string() });

/** The ways in which a server ends, or stops serving an agent. */
const STOPS: Readonly<Record<string, (server: ServerProcess, deploymentId: string) => Promise<unknown>>> = {
  SIGTERM: async ({ pid }) => process.kill(pid, 'SIGTERM'),
  SIGHUP: async ({ pid }) => process.kill(pid, 'SIGHUP'),
  SIGINT: async ({ pid }) => process.kill(pid, 'SIGINT'),
  'a request': (server) => server.fetch('/harbor/shutdown', { method: 'POST', body: { when: 'now' } }),
  // Three or more ends at different steps do not fail the run.
  'kill -9': (server) => server.kill(),
  'another kill -9': (server) => server.kill(),
  'a third kill -9': (server) => server.kill(),
  'the closing of its folder': async (server, id) => {
    const closed = await server.fetch(`/harbor/workspaces/${id}/close`, { method: 'POST', body: {} });
    assert.equal(closed.status, 204, await closed.text());
    await server.stop();
  },
};

describe('a server that is asked to stop during runs', function () {
  this.timeout(180_000);

  it('leaves them to the next start, however it is stopped; every step is streamed once, and canceled runs stay canceled', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'langgraph.json': '{"graphs":{"ticks":"./ticks.ts:ticks","both":"./ticks.ts:both"}}',
        'ticks.ts': TICKS_TS,
      },
    });
    // Windows supports the others, but ends the process abruptly.
    const known = Object.keys(STOPS).filter((name) => process.platform !== 'win32' || name !== 'SIGHUP');
    await survives(project, known);
  });

  it('leaves runs of Python graphs to the next start too', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    await using project = await servablePythonProject(python, {
      files: {
        'langgraph.json': '{"graphs":{"ticks":"./ticks.py:ticks","both":"./ticks.py:both"}}',
        'ticks.py': TICKS_PY,
      },
    });
    await survives(project, ['SIGTERM']);
  });
});

async function survives(project: GraphProject, stops: readonly string[]): Promise<void> {
  const config = path.join(project.folder, 'langgraph.json');
  await using server = await serverProcess({ args: ['--holder-grace-seconds', '600'] });
  const end = path.join(server.dataDir, 'end-the-runs');
  const serve = async () => {
    const opened = await server.fetch('/harbor/workspaces', {
      method: 'POST',
      body: { config_path: config, port: 0 },
    });
    return Deployment.parse(await opened.json());
  };
  let deployment = await serve();
  const begin = async (assistant_id: string, more: object = {}) => {
    const { thread_id } = await call(deployment.deployment_url, 'POST', '/threads', {}, Thread);
    const body = { assistant_id, input: { value: 0, end }, stream_mode: 'updates', ...more };
    const run = await call(deployment.deployment_url, 'POST', `/threads/${thread_id}/runs`, body, Run);
    return { ...run, thread_id };
  };
  const value = async ({ thread_id }: { thread_id: string }) => {
    const state = await fetch(`${deployment.deployment_url}/threads/${thread_id}/state`);
    return State.safeParse(await state.json()).data?.values.value ?? 0;
  };
  const get = (run: { thread_id: string; run_id: string }) =>
    call(deployment.deployment_url, 'GET', `/threads/${run.thread_id}/runs/${run.run_id}`, undefined, Run);

  const run = await begin('ticks');
  const both = await begin('both');
  const cancelled = new Map<string, { run_id: string; thread_id: string }>();
  const watched = await watchedRun(deployment.deployment_url, end);
  for (const name of stops) {
    const toCancel = await begin('ticks', { stream_mode: 'values' });
    const before = await value(run);
    for (const each of [run, toCancel]) {
      await eventually(
        `steps before ${name}`,
        () => value(each),
        (at) => at > (each === run ? before : 0),
        60_000,
      );
    }
    const route = `/threads/${toCancel.thread_id}/runs/${toCancel.run_id}/cancel`;
    await call(deployment.deployment_url, 'POST', route, {}, z.unknown());
    cancelled.set(name, toCancel);
    await STOPS[name]?.(server, deployment.deployment_id);
    await eventually(`${name} ends the server`, () => !isAlive(server.pid), Boolean, 20_000);
    await server.start();
    deployment = await serve();
    assert.equal((await get(toCancel)).status, 'interrupted', `the canceled run after ${name}`);
    const { status } = await get(run);
    assert.ok(['pending', 'running'].includes(status), `${status} after ${name}`);
  }
  await writeFile(end, '');
  for (const each of [run, both, watched]) {
    const ended = await eventually('the run has ended', () => get(each), over, 60_000);
    assert.equal(ended.status, 'success');
  }
  assert.deepEqual(
    await told(deployment.deployment_url, run),
    Array.from({ length: await value(run) }, (_, at) => ({ tick: { value: at + 1 } })),
  );
  // LangGraph reports again what a task has written beside one that was cut off.
  assert.deepEqual(await told(deployment.deployment_url, both), [
    { quick: { value: 1 } },
    { slow: { end: 'slow' } },
  ]);
  for (const [name, each] of cancelled) {
    const { status, values } = await call(
      deployment.deployment_url,
      'GET',
      `/threads/${each.thread_id}`,
      undefined,
      Thread,
    );
    assert.deepEqual(values, { value: await value(each), end }, `canceled before ${name}`);
    assert.notEqual(status, 'busy', `canceled before ${name}`);
  }
}

const over = ({ status }: { status: string }) => status !== 'pending' && status !== 'running';

/** The run's steps, as a reader of the whole stream sees them. */
async function told(url: string, run: { run_id: string; thread_id: string }): Promise<unknown[]> {
  const journaled: JournaledRun = { runId: run.run_id, threadId: run.thread_id, seen: [] };
  await follow(url, journaled, new AbortController().signal);
  return journaled.seen
    .filter(({ event }) => event === 'updates')
    .map(({ data }): unknown => JSON.parse(data));
}

/** A run whose reader asked for it to be canceled on disconnect; being cut off by the server does not count as one. */
async function watchedRun(url: string, end: string): Promise<{ run_id: string; thread_id: string }> {
  const { thread_id } = await call(url, 'POST', '/threads', {}, Thread);
  const response = await fetch(`${url}/threads/${thread_id}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'ticks',
      input: { value: 0, end },
      on_disconnect: 'cancel',
    }),
  });
  response.body?.pipeTo(new WritableStream()).catch(() => {});
  const [only] = await call(url, 'GET', `/threads/${thread_id}/runs`, undefined, z.array(Run));
  assert.ok(only !== undefined);
  return { ...only, thread_id };
}
