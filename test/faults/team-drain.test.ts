import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { graphProject } from '../support/projects.ts';
import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { makeTeam, type TeamNode } from '../support/team.ts';
import { eventually, patience } from '../support/wait.ts';

/** Each step records its server, and lasts until a file exists. */
const GRAPH = `
import { appendFileSync, existsSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ steps: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
const step = (name) => async ({ steps }, { configurable }) => {
  appendFileSync(configurable.thread_id + '.txt', name + ' ' + process.ppid + '\\n');
  while (!existsSync('go ' + name)) await new Promise((resolve) => setTimeout(resolve, 20));
  return { steps: [name] };
};
export const graph = new StateGraph(State)
  .addNode('first', step('first')).addNode('second', step('second')).addNode('third', step('third'))
  .addEdge('__start__', 'first').addEdge('first', 'second').addEdge('second', 'third').compile();
`;
/** The same steps in Python, each of which lasts until a file exists. */
const PYTHON_GRAPH = `
import operator, os, time
from typing import Annotated, TypedDict
from langgraph.graph import StateGraph

class State(TypedDict):
    steps: Annotated[list, operator.add]

def step(name):
    def run(state):
        open("begun " + name, "w").close()
        while not os.path.exists("go " + name):
            time.sleep(0.02)
        return {"steps": [name]}

    return run

graph = (
    StateGraph(State)
    .add_node("first", step("first"))
    .add_node("second", step("second"))
    .add_node("third", step("third"))
    .add_edge("__start__", "first").add_edge("first", "second").add_edge("second", "third").compile()
)
`;
const ALL = { steps: ['first', 'second', 'third'] };
/** The update of each step, sent once. */
const UPDATES = ALL.steps.map((step) => ({ [step]: { steps: [step] } }));

describe('a server of a team that is told to stop', function () {
  this.timeout(120_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  const project = () =>
    graphProject({
      line: 'langgraph-1.7',
      files: {
        'langgraph.json': JSON.stringify({ graphs: { steps: './graph.mjs:graph' } }),
        'graph.mjs': GRAPH,
      },
      empty: true,
    });
  /** Adds the numbers of a stream's events as they come. */
  const readNumbers = async (
    { client }: TeamNode,
    threadId: string,
    runId: string,
    lastEventId: string,
    seen: number[],
  ) => {
    for await (const { id } of client.runs.joinStream(threadId, runId, { lastEventId }))
      if (id !== undefined) seen.push(Number(id));
  };
  /** The updates of a run, and how often a server has begun to work on it. */
  const readStream = async ({ client }: TeamNode, threadId: string, runId: string) => {
    const updates: unknown[] = [];
    let attempts = 0;
    for await (const { event, data } of client.runs.joinStream(threadId, runId, { lastEventId: '-1' })) {
      if (event === 'updates') updates.push(data);
      if (event === 'metadata') attempts++;
    }
    return { updates, attempts };
  };
  const readiness = async ({ url }: TeamNode) => (await fetch(`${url}/ready`)).status;

  it('is no longer ready, leaves runs after a superstep, and still answers clients that wait for them', async () => {
    const made = await project();
    await using team = await makeTeam(await postgres.createDatabase(), made);
    // The draining lasts as long as requests to the ending server may take on a busy machine.
    const drain = { AGENT_HARBOR_DRAIN_SECONDS: String(25 * patience) };
    const [one, other] = await Promise.all([team.start(drain), team.start()]);
    const { thread_id: threadId } = await one.client.threads.create();
    /** The steps that have begun on a thread, and where. */
    const begun = (thread: string) => {
      const file = path.join(made.folder, `${thread}.txt`);
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    };
    const letGo = (step: string) => writeFile(path.join(made.folder, `go ${step}`), '');
    const [mine, theirs] = [String(one.pid), String(other.pid)];
    const streamMode: ('updates' | 'tasks')[] = ['updates', 'tasks'];
    const asked = { input: {}, streamMode } as const;
    const created = await one.client.runs.create(threadId, 'steps', asked);
    const waiting = one.client.runs.join(threadId, created.run_id);
    await eventually('the first step has begun', () => begun(threadId).length === 1);
    const [run] = await one.client.runs.list(threadId);
    assert.ok(run);
    const next = await one.client.runs.create(threadId, 'steps', { input: {} });
    const seen: number[] = [];
    const reading = readNumbers(one, threadId, run.run_id, '-1', seen);
    assert.deepEqual(await Promise.all([one, other].map(readiness)), [200, 200]);
    process.kill(one.pid, 'SIGTERM');
    await eventually('it is not ready', async () => (await readiness(one)) === 503);
    assert.equal(await readiness(other), 200);
    assert.equal((await fetch(`${one.url}/ok`)).status, 200);
    const { thread_id: newThread } = await one.client.threads.create();
    const accepted = await one.client.runs.create(newThread, 'steps', { input: {} });
    const isTheirs = () => begun(newThread).join() === `first ${theirs}`;
    await eventually('the other server executes a new run', isTheirs);
    await letGo('first');
    await eventually('the other server does the next step', () =>
      begun(threadId).includes(`second ${theirs}`),
    );
    await letGo('second');
    await letGo('third');
    assert.deepEqual(await waiting, ALL);
    assert.equal((await one.cli.ended()).code, 0);
    // The stream is interrupted when its server ends, unless it has ended before that.
    await reading.catch(() => {});
    await readNumbers(other, threadId, run.run_id, String(seen.at(-1) ?? -1), seen);
    assert.deepEqual(
      seen,
      seen.map((_, index) => index + 1),
    );
    const all: number[] = [];
    await readNumbers(other, threadId, run.run_id, '-1', all);
    assert.deepEqual(seen, all);
    // This includes the step after which the run was left.
    assert.deepEqual(await readStream(other, threadId, run.run_id), { updates: UPDATES, attempts: 2 });
    assert.deepEqual(await other.client.runs.join(newThread, accepted.run_id), ALL);
    assert.deepEqual(await other.client.runs.join(threadId, next.run_id), {
      steps: [...ALL.steps, ...ALL.steps],
    });
    const firsts = begun(threadId).filter((line) => line.startsWith('first'));
    assert.deepEqual(firsts, [`first ${mine}`, `first ${theirs}`]);
    assert.ok(!begun(threadId).includes(`third ${mine}`));
  });

  it('keeps the updates of the last step before it leaves a Python run', async function () {
    const made = await servablePythonProject(await requirePython(this, 'langgraph-1.2'), {
      empty: true,
      files: {
        'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { steps: './graph.py:graph' } }),
        'graph.py': PYTHON_GRAPH,
      },
    });
    await using team = await makeTeam(await postgres.createDatabase(), made);
    const [one, other] = await Promise.all([team.start(), team.start()]);
    const { thread_id: threadId } = await one.client.threads.create();
    const { run_id: runId } = await one.client.runs.create(threadId, 'steps', {
      input: {},
      streamMode: 'updates',
    });
    await eventually('the first step has begun', () => existsSync(path.join(made.folder, 'begun first')));
    process.kill(one.pid, 'SIGTERM');
    await eventually('it is not ready', async () => (await readiness(one)) === 503);
    await writeFile(path.join(made.folder, 'go first'), '');
    // The server that leaves may have begun the next step, whose writes would be kept if it came to an end there.
    assert.equal((await one.cli.ended()).code, 0);
    await writeFile(path.join(made.folder, 'go second'), '');
    await writeFile(path.join(made.folder, 'go third'), '');
    assert.deepEqual(await other.client.runs.join(threadId, runId), ALL);
    assert.deepEqual(await readStream(other, threadId, runId), { updates: UPDATES, attempts: 2 });
  });
});
