import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client as SdkClient } from '@langchain/langgraph-sdk';
import { Client } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { RequestError } from '../../../../src/client/request-error.ts';
import { runNode } from '../../../../src/client/run-node.ts';
import { LogLine } from '../../../../src/contract/harbor.ts';
import { DebugSession } from '../../../support/debug-session.ts';
import { Inspector } from '../../../support/inspector.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { eventually, patience } from '../../../support/wait.ts';

const TIME_LIMIT_MS = 3_000 * patience;

const SOURCE = `import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ question: Annotation, found: Annotation });
const retrieve = (state) => {
  const found = state.question.toUpperCase();
  return { found };
};
const answer = ({ found }) => ({ found: found + '!' });
export const graph = new StateGraph(State).addNode('retrieve', retrieve).addNode('answer', answer)
  .addEdge(START, 'retrieve').addEdge('retrieve', 'answer').addEdge('answer', END).compile();
`;
/** The second line of the node, where its state is known. */
const LINE = 4;

describe('while the graphs of a folder are debugged,', function () {
  this.timeout(60_000);
  let served: ServedProject;
  let client: Client;
  let deploymentId: string;
  const dispatcher = createDispatcher({});

  before(async () => {
    served = await serveProject({
      empty: true,
      files: {
        'agent.mjs': SOURCE,
        'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' } }),
      },
      runTimeLimitMs: TIME_LIMIT_MS,
    });
    const { url, platformUrl: baseUrl, apiKey } = served;
    client = new Client({ dispatcher, connection: localConnection({ baseUrl, apiKey, deploymentUrl: url }) });
    const config_path = path.join(served.project.folder, 'langgraph.json');
    deploymentId = (await client.harbor.openFolder({ body: { config_path } })).deployment_id;
  });
  after(async () => {
    await dispatcher.destroy();
    await served?.[Symbol.asyncDispose]();
  });

  const file = () => path.join(served.project.folder, 'agent.mjs');

  const debug = () => DebugSession.begin(client, deploymentId);

  async function breakAt(inspector: Inspector, lineNumber: number): Promise<void> {
    // A process that waits for its debugger binds the breakpoint once the source is loaded, by the line in the source.
    await inspector.post('Debugger.setBreakpointByUrl', {
      url: pathToFileURL(file()).href,
      lineNumber: lineNumber - 1,
    });
  }

  /** A run that is held at a breakpoint of its first node. */
  async function holdRun(session: DebugSession) {
    const process = await eventually('the address of the process', () => session.processes[0]);
    const inspector = await Inspector.connect(process.address);
    await breakAt(inspector, LINE);
    await session.tell(process, { state: 'attached' });
    const { thread_id } = await client.threads.create({ body: {} });
    const body = { assistant_id: 'agent', input: { question: 'why' } };
    const { run_id } = await client.runs.create({ params: { thread_id }, body });
    const params = { thread_id, run_id };
    assert.equal((await inspector.paused('state.question')).line, LINE);
    await session.tell(process, { state: 'paused', at: {} });
    return {
      process,
      inspector,
      cancel: () => client.runs.cancel({ params }),
      succeeded: () =>
        eventually(
          'the run has succeeded',
          async () => (await client.runs.get({ params })).status === 'success',
          Boolean,
          30_000,
        ),
      canceled: () =>
        eventually(
          'the run has ended',
          async () => (await client.runs.get({ params })).status === 'interrupted',
        ),
      [Symbol.dispose]: () => inspector[Symbol.dispose](),
    };
  }

  /** The events that the public SDK streams. */
  async function streamed(): Promise<unknown[]> {
    const { runs } = new SdkClient({ apiUrl: served.url, apiKey: null });
    const stream = runs.stream(null, 'agent', {
      input: { question: 'why' },
      streamMode: ['values', 'updates'],
    });
    const events: unknown[] = [];
    for await (const { event, data } of stream) if (event !== 'metadata') events.push({ event, data });
    return events;
  }

  const live = () => client.harbor.getFolder({ params: { deployment_id: deploymentId } });
  const refuses = (address: string) =>
    Inspector.connect(address).then(
      () => assert.fail('the port is still open'),
      () => true,
    );

  it('a run that a debugger holds for longer than its time limit ends as without a debugger', async () => {
    const undisturbed = await streamed();
    await using session = await debug();
    const process = await eventually('the address of the process', () => session.processes[0]);
    using inspector = await Inspector.connect(process.address);
    await breakAt(inspector, LINE);
    await session.tell(process, { state: 'attached' });
    const events = streamed();

    const { line, name, value } = await inspector.paused('state.question');
    assert.deepEqual({ line, name, value }, { line: LINE, name: 'retrieve', value: 'why' });
    await session.tell(process, { state: 'paused', at: { file: file(), line, name } });
    assert.deepEqual((await live()).debugging, { paused: { file: file(), line, name } });
    await delay(TIME_LIMIT_MS + 2_000);
    await inspector.resume();
    await session.tell(process, { state: 'running' });

    assert.deepEqual(await events, undisturbed);
    assert.deepEqual((await live()).debugging, {});
  });

  it('a run that begins while the debugger attaches stops at its first breakpoint', async () => {
    await using session = await debug();
    const events = streamed();
    const process = await eventually('the address of the process', () => session.processes[0]);
    // Time for the run to pass the breakpoint that is about to be set.
    await delay(500);
    using inspector = await Inspector.connect(process.address);
    await breakAt(inspector, LINE);
    await session.tell(process, { state: 'attached' });
    assert.equal((await inspector.paused('state.question')).line, LINE);
    await inspector.resume();
    assert.equal((await events).length > 2, true);
  });

  it('a node that is run alone while the debugger attaches stops at its first breakpoint', async () => {
    await using session = await debug();
    const result = runNode(client, { graph_id: 'agent', node: 'retrieve', input: { question: 'why' } });
    const process = await eventually('the address of the process', () => session.processes[0]);
    await delay(500);
    using inspector = await Inspector.connect(process.address);
    await breakAt(inspector, LINE);
    await session.tell(process, { state: 'attached' });
    assert.equal((await inspector.paused('state.question')).line, LINE);
    await inspector.resume();
    assert.match(JSON.stringify(await result), /WHY/);
  });

  it('a run that waits for a debugger runs without it when the editor goes away', async () => {
    const session = await debug();
    const events = streamed();
    await eventually('the address of the process', () => session.processes[0]);
    await session.end();
    assert.equal((await events).length > 2, true);
  });

  it('a run that resumes counts its time again, without the time it was paused', async () => {
    await using session = await debug();
    const process = await eventually('the address of the process', () => session.processes[0]);
    using inspector = await Inspector.connect(process.address);
    await breakAt(inspector, LINE);
    await session.tell(process, { state: 'attached' });
    const ended = client.runs.streamStateless({
      body: { assistant_id: 'agent', input: { question: 'why' }, stream_mode: ['values'] },
    });
    assert.equal((await inspector.paused('state.question')).line, LINE);
    // Paused again before the server was told that it had resumed.
    for (let times = 0; times < 2; times++) await session.tell(process, { state: 'paused', at: {} });
    await session.tell(process, { state: 'running' });
    await delay(TIME_LIMIT_MS + 500);
    await inspector.resume();
    const events: string[] = [];
    for await (const { event } of await ended) events.push(event);
    assert.ok(events.includes('error'), `it was not held as far as the server knew: ${events.join(' ')}`);
  });

  it('the port refuses when the editor has disconnected, and only the editor receives its address', async () => {
    const session = await debug();
    const { address } = await eventually('the address of the process', () => session.processes[0]);
    const { port, host } = new URL(address);
    assert.equal((await fetch(`http://${host}/json/list`)).status, 404);
    (await Inspector.connect(address))[Symbol.dispose]();
    await session.end();
    await eventually(`port ${port} refuses`, () => refuses(address));
    assert.equal((await live()).debugging, undefined);
    assert.doesNotMatch((await served.log()).join('\n'), /ws:\/\/|Debugger attached/);
  });

  it('two editors do not debug the same graphs, and the second one is told why', async () => {
    await using first = await debug();
    await eventually('the first is told', () => first.processes[0]);
    await assert.rejects(debug(), (error: unknown) => {
      assert.ok(error instanceof RequestError);
      assert.equal(error.status, 409);
      assert.match(error.message, /These graphs are being debugged in another window/);
      return true;
    });
  });

  it('a run that is canceled at a breakpoint ends when it resumes, and its process lives', async () => {
    await using session = await debug();
    using held = await holdRun(session);
    const { process, inspector } = held;
    await held.cancel();
    await inspector.resume();
    await session.tell(process, { state: 'running' });
    await held.canceled();
    await inspector.post('Runtime.getIsolateId');
  });

  it('canceling a run once more at a breakpoint ends its process', async () => {
    await using session = await debug();
    using held = await holdRun(session);
    const { process } = held;
    await held.cancel();
    await held.cancel();
    const next = await eventually('a new process can be debugged', () => session.processes[1]);
    assert.notEqual(next.process_id, process.process_id);
    await session.tell(next, { state: 'attached' });
    await held.canceled();
  });

  it('a run continues to its end when the editor that paused it has disconnected', async () => {
    const session = await debug();
    using held = await holdRun(session);
    // When a window is closed, its debugger and its stream end together.
    held.inspector[Symbol.dispose]();
    await session.end();
    await held.succeeded();
  });

  it('a run whose process dies at a breakpoint continues in another process, and the editor is told', async () => {
    await using session = await debug();
    using held = await holdRun(session);
    process.kill(held.process.process_id, 'SIGKILL');
    const { process_id } = await eventually(
      'another process',
      () => session.processes.find((other) => other.process_id !== held.process.process_id),
      Boolean,
      30_000,
    );
    await session.tell({ ...held.process, process_id }, { state: 'attached' });
    assert.deepEqual((await live()).debugging, {});
    await held.succeeded();
  });

  it('after a save the new process waits for the debugger before it loads a module', async () => {
    await using session = await debug();
    const before = await eventually('the address of the process', () => session.processes[0]);
    await appendFile(file(), 'export const loadedAt = Date.now();\n');
    const process = await eventually('the new process', () => session.processes[1]);
    assert.notEqual(process.process_id, before.process_id);
    using inspector = await Inspector.connect(process.address);
    const line = SOURCE.split('\n').length;
    await inspector.post('Debugger.setBreakpointByUrl', {
      url: pathToFileURL(file()).href,
      lineNumber: line - 1,
    });
    await session.tell(process, { state: 'attached' });
    assert.equal((await inspector.paused('typeof graph')).line, line);
    await inspector.resume();
  });

  it('a process that is not debugged is not reported', async () => {
    const params = { deployment_id: deploymentId, process_id: 1 };
    await assert.rejects(client.debugging.tellDebugged({ params, body: { state: 'running' } }), {
      status: 409,
      message: /Process 1 is not being debugged/,
    });
  });

  it('a logpoint writes a line that names the run to the log of the deployment', async () => {
    const params = { deployment_id: deploymentId };
    const ids = { run_id: randomUUID(), thread_id: randomUUID() };
    await client.debugging.writeLog({ params, body: { message: 'topic is tides', ...ids } });
    const ended = new AbortController();
    for await (const { data } of await client.harbor.log({ params }, { signal: ended.signal })) {
      const { message, level, run_id, thread_id } = LogLine.parse(data);
      if (run_id !== ids.run_id) continue;
      assert.deepEqual(
        { message, level, thread_id },
        { message: 'topic is tides', level: 'INFO', thread_id: ids.thread_id },
      );
      break;
    }
    ended.abort();
  });

  it('closing the folder ends the session of the editor that debugs its graphs', async () => {
    await using session = await debug();
    const params = { deployment_id: deploymentId };
    await eventually('the process', () => session.processes[0]);
    let hasEnded = false;
    void session.following.then(() => (hasEnded = true));
    await client.harbor.closeFolder({ params, body: {} });
    await eventually('the end of the stream', () => hasEnded);
    await assert.rejects(live(), { status: 404 });
  });
});
