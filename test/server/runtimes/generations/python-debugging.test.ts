import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { DapClient } from '../../../support/dap-client.ts';
import { DebugSession } from '../../../support/debug-session.ts';
import { debuggedAgent, LINES } from '../../../support/debugged-python.ts';
import { debugpyFolder, requirePython, servablePythonProject } from '../../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually, patience } from '../../../support/wait.ts';

const run = promisify(execFile);
const TIME_LIMIT_MS = 3_000 * patience;

const HALTING = `from langgraph.graph import StateGraph

def halt(state: dict) -> dict:
    value = 1
    breakpoint()
    return {"value": value}

graph = StateGraph(dict).add_node(halt).set_entry_point("halt").compile()
`;

describe('while Python graphs of a folder are debugged,', function () {
  this.timeout(120_000);
  let served: ServedProject;
  let client: Client;
  let deploymentId: string;
  let python: string;
  let debugpy: string;
  const dispatcher = createDispatcher({});

  before(async function () {
    python = await requirePython(this, 'langgraph-1.2');
    debugpy = await debugpyFolder();
    served = await serveProject({
      given: await servablePythonProject(python, {
        empty: true,
        files: {
          'agent.py': debuggedAgent(),
          'halting.py': HALTING,
          'langgraph.json': JSON.stringify({
            dependencies: ['.'],
            graphs: { agent: './agent.py:graph', halting: './halting.py:graph' },
          }),
        },
      }),
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

  async function streamed(assistant_id = 'agent'): Promise<unknown[]> {
    const stream = await client.runs.streamStateless({
      body: { assistant_id, input: { question: 'why' }, stream_mode: ['values', 'updates'] },
    });
    const events: unknown[] = [];
    for await (const { event, data } of stream) if (event !== 'metadata') events.push({ event, data });
    return events;
  }

  /** The stream of the public SDK for Python. */
  async function streamedByPython(): Promise<unknown[]> {
    const script = `
import json, sys
from langgraph_sdk import get_sync_client
client = get_sync_client(url=sys.argv[1], api_key=None)
parts = client.runs.stream(None, "agent", input={"question": "why"}, stream_mode=["values", "updates"])
print(json.dumps([[part.event, part.data] for part in parts if part.event != "metadata"]))
`;
    const { stdout } = await run(python, ['-c', script, served.url]);
    const events: unknown = JSON.parse(stdout);
    assert.ok(Array.isArray(events) && events.length > 2, stdout);
    return events;
  }

  const loaded = () =>
    eventually(
      'the graphs are loaded',
      async () => {
        const { runtime } = await client.harbor.getFolder({ params: { deployment_id: deploymentId } });
        return runtime.state === 'ready';
      },
      Boolean,
      60_000,
    );

  it('the debugger stops in a sync and in an async node, and the run ends as without a debugger', async () => {
    const undisturbed = await streamed();
    const session = await DebugSession.begin(client, deploymentId, debugpy);
    const process = await session.process();
    assert.equal(process.language, 'python');
    const { address } = process;
    const file = path.join(served.project.folder, 'agent.py');
    const tell = (body: Parameters<typeof session.tell>[1]) => session.tell(process, body);
    {
      using editor = await DapClient.connect(address);
      await editor.attach(file, LINES);
      await tell({ state: 'attached' });
      await loaded();
      const events = streamed();
      const first = await editor.paused('state["question"]');
      assert.deepEqual([first.line, first.name, first.value], [LINES[0], 'retrieve', "'why'"]);
      await tell({ state: 'paused', at: { file, line: first.line, name: first.name } });
      await delay(TIME_LIMIT_MS + 2_000);
      await editor.request('continue', { threadId: first.threadId });
      await tell({ state: 'running' });
      const second = await editor.paused('state["found"]');
      assert.deepEqual([second.line, second.name, second.value], [LINES[1], 'answer', "'WHY'"]);
      await tell({ state: 'paused', at: {} });
      await editor.request('continue', { threadId: second.threadId });
      await tell({ state: 'running' });
      assert.deepEqual(await events, undisturbed);
    }
    await session.end();
    await eventually(
      'nothing listens any longer',
      () =>
        DapClient.connect(address).then(
          (open) => open[Symbol.dispose](),
          () => true,
        ),
      Boolean,
      30_000,
    );
    assert.deepEqual(await streamed(), undisturbed);
  });

  it('the public SDK for Python streams across a pause without noticing', async () => {
    const undisturbed = await streamedByPython();
    const session = await DebugSession.begin(client, deploymentId, debugpy);
    const process = await session.process();
    {
      using editor = await DapClient.connect(process.address);
      await editor.attach(path.join(served.project.folder, 'agent.py'), LINES.slice(0, 1));
      await session.tell(process, { state: 'attached' });
      await loaded();
      const events = streamedByPython();
      const { threadId } = await editor.paused('state["question"]');
      await session.tell(process, { state: 'paused', at: {} });
      await delay(TIME_LIMIT_MS + 2_000);
      await editor.request('continue', { threadId });
      await session.tell(process, { state: 'running' });
      assert.deepEqual(await events, undisturbed);
    }
    await session.end();
    await loaded();
  });

  it('breakpoint() stops where a debugger is attached, and fails the run while only the port is open', async () => {
    const session = await DebugSession.begin(client, deploymentId, debugpy);
    const process = await session.process();
    await session.tell(process, { state: 'attached' });
    await loaded();
    const [failure] = (await streamed('halting')).slice(-1);
    assert.match(JSON.stringify(failure), /"error".*breakpoint\(\) needs a debugger, and none is attached\./);
    {
      using editor = await DapClient.connect(process.address);
      await editor.attach(path.join(served.project.folder, 'halting.py'), []);
      const events = streamed('halting');
      const { threadId, name, value } = await editor.paused('value');
      assert.deepEqual([name, value], ['halt', '1']);
      await editor.request('continue', { threadId });
      assert.doesNotMatch(JSON.stringify(await events), /"error"/);
    }
    await session.end();
    await loaded();
  });

  it('a debugpy that is too old is reported with the command that upgrades it, and runs continue', async () => {
    await using folder = await temporaryFolder();
    await mkdir(path.join(folder.path, 'debugpy'));
    await writeFile(path.join(folder.path, 'debugpy', '__init__.py'), '__version__ = "1.5.1"');
    {
      await using session = await DebugSession.begin(client, deploymentId, folder.path);
      const problem = await eventually('the problem', () => session.told[0], Boolean, 30_000);
      assert.ok(problem.type === 'problem', JSON.stringify(problem));
      assert.match(problem.message, /1\.5\.1 is too old.*-m pip install --upgrade debugpy/);
      assert.equal((await streamed()).length > 0, true);
    }
    await loaded();
  });

  it('an environment without debugpy is reported with the command that installs it, and runs continue', async () => {
    await using session = await DebugSession.begin(client, deploymentId);
    const problem = await eventually('the problem', () => session.told[0], Boolean, 30_000);
    assert.ok(problem.type === 'problem', JSON.stringify(problem));
    assert.match(problem.message, /debugpy is not installed in .*-m pip install debugpy/);
    assert.equal((await streamed()).length > 0, true);
  });
});
