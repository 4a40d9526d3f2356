import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { cli, startCli } from '../support/cli.ts';
import { DapClient } from '../support/dap-client.ts';
import { dataFolder } from '../support/data-folder.ts';
import { Inspector } from '../support/inspector.ts';
import { graphProject } from '../support/projects.ts';
import { debugpyFolder, requirePython, servablePythonProject } from '../support/python-projects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

const Targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));

describe('debuggers of agent-harbor dev', function () {
  this.timeout(180_000);

  it('attach to Node at a port that stays the same when the graphs are reloaded', async () => {
    await using data = await dataFolder();
    await using project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'graph.mjs': [
          "import { Annotation, StateGraph } from '@langchain/langgraph';",
          'globalThis.loads = 1;',
          'export const graph = new StateGraph(Annotation.Root({ a: Annotation() }))',
          "  .addNode('one', () => ({})).addEdge('__start__', 'one').compile();",
        ].join('\n'),
        'langgraph.json': '{"graphs": {"mine": "./graph.mjs:graph"}}',
      },
    });
    const arguments_ = ['dev', '--port', '0', '--inspect', '0', '--data-dir', data.path];
    await using dev = startCli(arguments_, { cwd: project.folder });
    const said = await dev.said(/Attach a Node \(inspector\) debugger to 127\.0\.0\.1:\d+\./);
    const port = Number(/to 127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
    const evaluate = async (expression: string): Promise<unknown> => {
      const list = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
      using inspector = await Inspector.connect(Targets.parse(list)[0]?.webSocketDebuggerUrl ?? '');
      const { result } = await inspector.post('Runtime.evaluate', { expression });
      return (result as { value?: unknown }).value;
    };
    assert.equal(await evaluate('loads'), 1);
    {
      const list = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
      using inspector = await Inspector.connect(Targets.parse(list)[0]?.webSocketDebuggerUrl ?? '');
      const evaluated = inspector.post('Runtime.evaluate', { expression: 'debugger; loads' });
      await serverKnows(data.path, project.folder, { isPaused: true });
      await inspector.resume();
      await evaluated;
      await serverKnows(data.path, project.folder, { isPaused: false });
      // No answer comes: the client disconnects while it holds the process.
      inspector.post('Runtime.evaluate', { expression: 'debugger' }).catch(() => {});
      await serverKnows(data.path, project.folder, { isPaused: true });
    }
    await serverKnows(data.path, project.folder, { isPaused: false });
    const source = path.join(project.folder, 'graph.mjs');
    await writeFile(source, (await readFile(source, 'utf8')).replace('loads = 1', 'loads = 2'));
    await eventually('the new process', async () => (await evaluate('loads')) === 2, Boolean, 60_000);
    assert.equal(await statusFor(port, 'rebound.example'), 400);
    assert.equal((await dev.interrupt()).code, 0);
  });

  it('attach to Python, and stop a run at a breakpoint', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    const debugpy = await debugpyFolder();
    await using data = await dataFolder();
    await using project = await servablePythonProject(python, {
      empty: true,
      files: {
        'graph.py': [
          'from langgraph.graph import StateGraph',
          '',
          'def double(state):',
          '    value = state["value"]',
          '    return {"value": 2 * value}',
          '',
          'graph = StateGraph(dict).add_node("double", double).set_entry_point("double").compile()',
        ].join('\n'),
        'langgraph.json': '{"graphs": {"mine": "./graph.py:graph"}}',
      },
    });
    const arguments_ = [
      'dev',
      '--port',
      '0',
      '--debug-port',
      '0',
      '--python',
      python,
      '--data-dir',
      data.path,
    ];
    await using dev = startCli(arguments_, { cwd: project.folder, environment: { PYTHONPATH: debugpy } });
    const said = await dev.said(/Attach a Python \(debugpy\) debugger to 127\.0\.0\.1:\d+\./);
    using editor = await DapClient.connect(`tcp://${/to (127\.0\.0\.1:\d+)\./.exec(said)?.[1]}`);
    await editor.attach(path.join(project.folder, 'graph.py'), [4]);
    await using run = startCli(['run', 'mine', '--input', '{"value": 2}', '--data-dir', data.path], {
      cwd: project.folder,
    });
    const stopped = await eventually(
      'the breakpoint',
      () => editor.events.find(({ event }) => event === 'stopped'),
      Boolean,
      60_000,
    );
    await serverKnows(data.path, project.folder, { isPaused: true });
    await editor.request('continue', { threadId: stopped.body.threadId });
    await serverKnows(data.path, project.folder, { isPaused: false });
    assert.match((await run.ended()).stdout, /"value": 4\b/);
    assert.equal((await dev.interrupt()).code, 0);
  });

  for (const [given, right, graph] of [
    ['--inspect', '--debug-port', './graph.py:graph'],
    ['--debug-port', '--inspect', './graph.ts:graph'],
  ] as const) {
    it(`are refused with ${given} for ${graph}, and the right option is named`, async () => {
      await using folder = await temporaryFolder();
      await writeFile(path.join(folder.path, 'langgraph.json'), JSON.stringify({ graphs: { mine: graph } }));
      const { code, stdout, stderr } = await cli(['dev', given, '0'], { cwd: folder.path });
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`${given} has no effect here, .* Use ${right}\\.`));
      assert.equal(stdout, '');
    });
  }

  it('need a free port', async () => {
    await using data = await dataFolder();
    await using project = await graphProject({ line: 'langgraph-1.7' });
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
    });
    try {
      const { code, stderr } = await cli(
        ['dev', '--port', '0', '--inspect', String(port), '--data-dir', data.path],
        { cwd: project.folder },
      );
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`Port ${port} of --inspect is in use\\.`));
    } finally {
      taken.close();
    }
  });
});

/** Waits until the server has heard whether a debugger holds the graphs, so that their time limits wait too. */
async function serverKnows(
  dataDir: string,
  folder: string,
  { isPaused }: { isPaused: boolean },
): Promise<void> {
  const server = await readServerFile(dataDir);
  assert.ok(server);
  const dispatcher = createDispatcher();
  const client = clientOf({ baseUrl: server.base_url, apiKey: server.api_key }, dispatcher);
  const body = { config_path: path.join(folder, 'langgraph.json') };
  await eventually(
    isPaused ? 'the server knows of the pause' : 'the server knows that the process continues',
    async () => (await client.harbor.openFolder({ body })).debugging,
    (debugging) => debugging !== undefined && (debugging.paused !== undefined) === isPaused,
  );
  await dispatcher.destroy();
}

/** The status of the list of targets, for a page that calls this machine by another name. */
function statusFor(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/json/list', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
