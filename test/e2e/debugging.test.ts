import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../src/client/client.ts';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { projectRoot } from '../support/cache.ts';
import { type GraphProject, graphProject, type LangGraphLine } from '../support/projects.ts';
import { debugpyFolder, requirePython, servablePythonProject } from '../support/python-projects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually, patience } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';

const TIME_LIMIT_SECONDS = Math.ceil(3 * patience);

/** @param more code for which a loader must do more than strip types. */
const source = (more = '') => `import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
${more}
const State = Annotation.Root({ question: Annotation<string>, found: Annotation<string>, pid: Annotation<number> });
async function retrieve(state: typeof State.State) {
  const found = state.question.toUpperCase();
  return { found, pid: process.pid };
}
const answer = ({ found }: typeof State.State) => { if (found === 'FAIL') throw new Error('No answer.'); return { found: \`\${found}!\` }; };
export const graph = new StateGraph(State).addNode('retrieve', retrieve).addNode('answer', answer)
  .addEdge(START, 'retrieve').addEdge('retrieve', 'answer').addEdge('answer', END).compile();
`;
/** The lines in which the two nodes have their state. */
const LINE = 5;
const ANSWER_LINE = 8;

/** The compiled source, with unchanged line numbers; only one of the graphs has a source map. */
const COMPILED = source()
  .replaceAll('<string>', '()')
  .replaceAll('<number>', '()')
  .replaceAll(/: typeof State[.]State/g, '');
const MAPPINGS = `AAAA${';AACA'.repeat(10)}`;
const compiled = {
  'typed.ts': source(),
  'dist/typed.js': COMPILED,
  'dist/moved.js': `${COMPILED}//# sourceMappingURL=moved.js.map`,
  'dist/moved.js.map': JSON.stringify({ version: 3, sources: ['../gone.ts'], names: [], mappings: MAPPINGS }),
  'package.json': '{"type": "module"}',
};

const PYTHON = `from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    question: str

async def retrieve(state: State) -> State:
    return {"question": state["question"].upper()}

graph = StateGraph(State).add_node(retrieve).add_edge(START, "retrieve").add_edge("retrieve", END).compile()
`;
const PYTHON_LINE = 8;
const SLEEPY = PYTHON.replace(
  '    return',
  `    import time
    time.sleep(1)
    return`,
);

describe('while graphs are debugged,', function () {
  this.timeout(180_000);
  const cleanup = new AsyncDisposableStack();
  let window: HarborWindow;
  let server: ChildProcess;
  let folders: Record<'transformed' | 'stripped' | 'compiled' | 'python', string>;

  before(async function () {
    const make = async (line: LangGraphLine, graphs: Record<string, string>): Promise<GraphProject> =>
      cleanup.use(
        await graphProject({
          line,
          empty: true,
          files: {
            ...Object.fromEntries(Object.entries(graphs).map(([name, text]) => [`${name}.ts`, text])),
            'langgraph.json': JSON.stringify({
              graphs: Object.fromEntries(Object.keys(graphs).map((name) => [name, `./${name}.ts:graph`])),
            }),
          },
        }),
      );
    const transformed = await make('langgraph-1.7', { agent: source() });
    const stripped = await make('langgraph-1.4', {
      plain: source(),
      marked: source("enum Mark { Loud = '!' }"),
    });
    const built = cleanup.use(
      await graphProject({
        line: 'langgraph-1.7',
        empty: true,
        files: {
          ...compiled,
          'langgraph.json': JSON.stringify({
            graphs: { typed: './dist/typed.js:graph', moved: './dist/moved.js:graph' },
          }),
        },
      }),
    );
    const python = await requirePython(this, 'langgraph-1.2');
    const snake = cleanup.use(
      await servablePythonProject(python, {
        empty: true,
        files: {
          'snake.py': PYTHON,
          'sleepy.py': SLEEPY,
          'langgraph.json': JSON.stringify({
            dependencies: ['.'],
            graphs: { snake: './snake.py:graph', sleepy: './sleepy.py:graph' },
            // As if it were installed in the project's environment.
            env: { PYTHONPATH: await debugpyFolder() },
          }),
        },
      }),
    );
    folders = {
      transformed: transformed.folder,
      stripped: stripped.folder,
      compiled: built.folder,
      python: snake.folder,
    };
    const temporary = cleanup.use(await temporaryFolder()).path;
    const dataDir = path.join(temporary, 'data');
    // A server with a short time limit for runs, which the window finds.
    const limits = ['--run-timeout-seconds', String(TIME_LIMIT_SECONDS), '--port', '0'];
    server = spawn(
      process.execPath,
      [path.join(projectRoot, 'dist', 'server.js'), '--data-dir', dataDir, ...limits],
      { stdio: 'ignore' },
    );
    await eventually('the server', () => readServerFile(dataDir), Boolean, 30_000);
    const workspace = path.join(temporary, 'both.code-workspace');
    await writeFile(
      workspace,
      JSON.stringify({ folders: Object.values(folders).map((folder) => ({ path: folder })) }),
    );
    window = await HarborWindow.open({ folder: workspace, dataDir });
    // The first folder is served, whichever it is.
    await window.openViews(/^ +- \w+/m);
  });
  after(async () => {
    await window?.close();
    server?.kill('SIGKILL');
    await cleanup.disposeAsync();
  });
  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  async function live(folder: string) {
    const client = await window.client();
    const deployment = await client.harbor.openFolder({
      body: { config_path: path.join(folder, 'langgraph.json') },
    });
    return { deployment, client: client.withDeployment(deployment.deployment_url) };
  }

  async function streamed(client: Client, assistant_id: string, question = 'why'): Promise<unknown[]> {
    const stream = await client.runs.streamStateless({
      body: { assistant_id, input: { question }, stream_mode: ['values', 'updates'] },
    });
    const events: unknown[] = [];
    for await (const { event, data } of stream) if (event !== 'metadata') events.push({ event, data });
    return events;
  }

  const pausedAt = (folder: string, line: number) =>
    eventually(
      `the debugger holds line ${line}`,
      async () => (await live(folder)).deployment.debugging?.paused,
      (at) => at.line === line,
    );

  /** Sets a breakpoint and waits until it is bound, as its mark says. */
  async function breakAt(file: string, line: number): Promise<void> {
    const { page, editors } = window.workbench;
    await editors.open(file);
    await editors.goTo(line);
    await page.keyboard.press('F9');
  }
  /** Waits until the breakpoint is bound: only then does its row show the column. */
  async function bound(column = 23): Promise<void> {
    const { page } = window.workbench;
    await page.keyboard.press('Escape');
    await window.workbench.runCommand('Run and Debug: Focus on Breakpoints View');
    const row = page.locator('.debug-breakpoints .monaco-list-row', { hasText: `${LINE}:${column}` });
    await row.first().waitFor({ timeout: 30_000 * patience });
  }
  async function attach(): Promise<void> {
    const { page } = window.workbench;
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor({ timeout: 30_000 * patience });
  }
  const resume = () =>
    window.workbench.page
      .locator('.debug-toolbar')
      .getByRole('button', { name: /^Continue/ })
      .click();
  async function detach(): Promise<void> {
    const { workbench } = window;
    const toolbar = workbench.page.locator('.debug-toolbar');
    if (await toolbar.isVisible()) await workbench.runCommand('Debug: Disconnect');
    await toolbar.waitFor({ state: 'hidden' });
    for (const folder of Object.values(folders)) {
      await eventually(
        'the debugger is closed',
        async () => (await live(folder)).deployment.debugging === undefined,
      );
    }
    await workbench.runCommand('Remove All Breakpoints');
  }
  beforeEach(async () => {
    const { workbench } = window;
    await workbench.dismissAll();
    await workbench.editors.closeAll();
    // A test that failed may have left a session that is still starting.
    const toolbar = workbench.page.locator('.debug-toolbar');
    await eventually(
      'no debugger is left',
      async () => {
        if (await toolbar.isVisible()) {
          await workbench.runCommand('Debug: Disconnect');
          // Until it is hidden, it may still be visible although its command is no longer offered, and a click would
          // wait for that.
          await toolbar.waitFor({ state: 'hidden' });
        }
        const open = await Promise.all(Object.values(folders).map(async (folder) => live(folder)));
        const isDebugged = open.some(({ deployment }) => deployment.debugging !== undefined);
        return !isDebugged && !(await toolbar.isVisible());
      },
      Boolean,
      60_000,
    );
    await workbench.runCommand('Remove All Breakpoints');
  });

  it('F5 in a source attaches, breakpoints stop the run, and nothing listens afterwards', async () => {
    const { workbench } = window;
    const { page } = workbench;
    const { client } = await live(folders.transformed);
    const undisturbed = await streamed(client, 'agent');
    const pid = pidOf(undisturbed);
    const portsBefore = await portsOf(pid);

    await breakAt('agent.ts', LINE);
    await attach();
    // Starts at once, although the breakpoint may not be bound yet.
    const events = streamed(client, 'agent');
    const at = await pausedAt(folders.transformed, LINE);
    assert.deepEqual([path.basename(at.file ?? ''), at.name], ['agent.ts', 'retrieve']);
    await eventually(
      'the call stack to name the agent, not a process',
      () => page.locator('.debug-call-stack').innerText(),
      (text) => text.includes(path.basename(folders.transformed)) && !/process/i.test(text),
    );
    const variables = page.locator('.debug-pane .monaco-list-row');
    await eventually('the state among the variables', async () => {
      if (await variables.filter({ hasText: "question: 'why'" }).first().isVisible()) return true;
      // VS Code may or may not expand the scope itself.
      const folded = page.locator('.debug-pane .monaco-list-row[aria-expanded="false"]');
      await folded.filter({ hasText: 'Local: retrieve' }).click({ timeout: 500 });
      await delay(500);
      return false;
    });
    await workbench.screenshot('debugger');

    await breakAt('agent.ts', LINE + 1);
    await delay(1_000 * (TIME_LIMIT_SECONDS + 2));
    await resume();
    await pausedAt(folders.transformed, LINE + 1);
    await resume();
    assert.deepEqual(await events, undisturbed);

    await detach();
    assert.deepEqual(await portsOf(pid), portsBefore);
    assert.deepEqual(await streamed(client, 'agent'), undisturbed);
  });

  it('a run panel says where the debugger holds its graph, and Stop resumes and then cancels it', async () => {
    const { workbench } = window;
    const { page } = workbench;
    await breakAt('agent.ts', LINE);
    await page.locator('.codelens-decoration a').filter({ hasText: 'Debug agent' }).click();
    await page.locator('.debug-toolbar').waitFor({ timeout: 30_000 * patience });
    const panel = await window.runPanel('agent');
    await panel.frame.getByRole('textbox', { name: 'question' }).fill('why', { timeout: 60_000 * patience });
    await panel.turnOn('Show Graph');
    await bound();
    await workbench.runCommand('View: Hide Panel');
    await workbench.screenshot('debug-bound');
    await panel.frame.getByRole('button', { name: 'Run', exact: true }).click();
    const paused = panel.frame.getByText(`Paused at agent.ts:${LINE} in retrieve`);
    await paused.waitFor();
    await panel.frame.getByRole('button', { name: 'retrieve, running' }).waitFor();
    await page.locator('.debug-pane .monaco-list-row', { hasText: 'state' }).first().waitFor();
    await workbench.screenshotInThemes('run-paused');
    await resume();
    await paused.waitFor({ state: 'detached' });
    assert.match(await panel.outcome(), /^Done/);
    await workbench.screenshot('debug-done');
    await panel.frame.getByRole('button', { name: 'Run', exact: true }).click();
    await paused.waitFor();
    await panel.frame.getByRole('button', { name: 'Cancel Run' }).click();
    await panel.frame.getByText('Canceled').first().waitFor();
    await paused.waitFor({ state: 'detached' });
  });

  it('the panel of another graph of the same process says why its run waits, and ends it afterwards', async () => {
    const { workbench } = window;
    const { client } = await live(folders.stripped);
    const project = await viewed(folders.stripped);
    const before = await window.newRunPanel('Deployments', [project, 'marked']);
    const input = before.frame.getByRole('textbox', { name: 'Input as JSON' });
    await input.fill('{"question": "why"}', { timeout: 60_000 * patience });
    await breakAt('plain.ts', LINE);
    await attach();
    const events = streamed(client, 'plain');
    await pausedAt(folders.stripped, LINE);
    await workbench.page.locator('.debug-top-stack-frame-line').first().waitFor();
    await workbench.editors.show('marked');
    // The debugger has moved it beside the source.
    const panel = await window.runPanel('marked');
    await panel.button('Run').click();
    const paused = panel.frame.getByText(`Paused at plain.ts:${LINE} in retrieve`);
    await paused.waitFor();
    await workbench.screenshot('debug-other-panel');
    await resume();
    await paused.waitFor({ state: 'detached' });
    assert.match(await panel.outcome(), /^Done/);
    await events;
  });

  it('the run panel stays visible when the debugger stops, whether it or the source was opened first', async () => {
    const { workbench } = window;
    const { page, editors } = workbench;
    await breakAt('agent.ts', LINE);
    const row = [path.basename(folders.transformed), 'agent'];
    const stop = async () => {
      const panel = await window.runPanel('agent');
      await panel.frame
        .getByRole('textbox', { name: 'question' })
        .fill('why', { timeout: 60_000 * patience });
      await panel.button('Run').click();
      await panel.frame.getByText(`Paused at agent.ts:${LINE} in retrieve`).waitFor();
      await page.locator('.debug-top-stack-frame-line').first().waitFor();
      assert.equal(await panel.frame.getByText('Paused at').isVisible(), true);
      assert.equal(await page.locator('.editor-group-container').count(), 2);
      await resume();
      await panel.outcome();
      await workbench.runCommand('Debug: Disconnect');
    };
    await editors.closeAll();
    await workbench.openViewContainer('Agent Harbor');
    const deployments = await workbench.view('Deployments');
    await deployments.expand(row.slice(0, 1));
    let loads = 0;
    const count = (frame: { url(): string }): void => {
      if (frame.url().includes('extensionId=agent-harbor')) loads += 1;
    };
    page.on('framenavigated', count);
    await deployments.inlineAction(row, 'Debug');
    await page.locator('.debug-toolbar').waitFor({ timeout: 30_000 * patience });
    await stop();
    page.off('framenavigated', count);
    assert.equal(loads, 1, 'the panel is opened beside its source, and not moved there');
    await workbench.screenshot('run-beside');

    await workbench.openViewContainer('Agent Harbor');
    await window.newRunPanel('Deployments', row);
    assert.equal(await page.locator('.editor-group-container').count(), 1);
    await editors.open('agent.ts');
    await attach();
    await stop();
  });

  const groups = () => window.workbench.page.locator('.editor-group-container');

  /**
   * A run waits until the debugger is attached; VS Code's own debugger reports an error if it is disconnected earlier.
   */
  async function attached(): Promise<void> {
    const { client } = await live(folders.transformed);
    await streamed(client, 'agent');
  }

  /** Waits until the debugger is attached and the panel of a graph is beside a source. */
  async function debugged(graph: string) {
    const { page, editors } = window.workbench;
    await page.locator('.debug-toolbar').waitFor({ timeout: 30_000 * patience });
    await eventually(
      'the run panel beside a source',
      async () => ({ tabs: await editors.tabs(), groups: await groups().count() }),
      (seen) => seen.groups === 2 && seen.tabs.includes(graph),
    );
    await attached();
    return window.runPanel(graph);
  }

  /** Shows the views of a folder. */
  async function viewed(folder: string): Promise<string> {
    const { workbench } = window;
    const name = path.basename(folder);
    await workbench.runCommand('Agent Harbor: Select Deployment');
    await workbench.quickInput.waitFor('Select Deployment');
    await workbench.quickInput.pick(name);
    await workbench.openViewContainer('Agent Harbor');
    await (await workbench.view('Deployments')).expand([name]);
    return name;
  }

  it('a failed thread is debugged from its row, and can be stepped into at the failure', async () => {
    const { workbench } = window;
    const { editors } = workbench;
    const { client } = await live(folders.transformed);
    const { thread_id } = await client.threads.create({ body: {} });
    const body = { assistant_id: 'agent', input: { question: 'fail' } };
    await client.runs.wait({ params: { thread_id }, body });
    await viewed(folders.transformed);
    await (await workbench.view('Threads')).inlineAction(['Failed', 'fail'], 'Debug');
    const panel = await debugged('agent');
    await panel.frame.getByText('Failed in “answer”').waitFor({ timeout: 60_000 * patience });
    await panel.button('Step Into Next Node').click();
    await pausedAt(folders.transformed, ANSWER_LINE);
    await workbench.screenshot('debug-failed');
    await resume();
    await eventually('the run to fail again', async () => {
      const [run] = await client.runs.list({ params: { thread_id }, query: { limit: 1 } });
      return run?.status === 'error';
    });
    await editors.closeAll();
    await client.threads.delete({ params: { thread_id } });
  });

  it('a failed trace is debugged from its row, with its input', async () => {
    const { workbench } = window;
    const { client } = await live(folders.transformed);
    // Without its thread, a trace is debugged with its input.
    const failed = await client.threads.search({ body: { status: 'error' } });
    for (const { thread_id = '' } of failed) await client.threads.delete({ params: { thread_id } });
    await streamed(client, 'agent', 'fail');
    const project = await viewed(folders.transformed);
    await (await workbench.view('Traces')).inlineAction([project, 'fail'], 'Debug');
    const panel = await debugged('agent');
    const text = panel.frame.getByRole('textbox', { name: 'Input as JSON' });
    await text.waitFor({ timeout: 60_000 * patience });
    assert.deepEqual(JSON.parse(await text.inputValue()), { question: 'fail' });
  });

  it('the bug icon of an assistant, and those of run and trace panels, debug their graph', async () => {
    const { workbench } = window;
    const { editors, page } = workbench;
    const toolbar = page.locator('.debug-toolbar');
    const disconnect = async () => {
      await workbench.runCommand('Debug: Disconnect');
      await toolbar.waitFor({ state: 'hidden' });
    };
    await viewed(folders.transformed);
    await (await workbench.view('Assistants')).inlineAction(['agent'], 'Debug');
    const panel = await debugged('agent');
    await panel.frame.getByRole('textbox', { name: 'question' }).fill('why', { timeout: 60_000 * patience });
    await disconnect();

    await panel.button('Run').click();
    assert.match(await panel.outcome(), /^Done/);
    await workbench.screenshot('debug-panel-title');
    await editors.titleAction('Debug');
    await toolbar.waitFor({ timeout: 30_000 * patience });
    await attached();
    await disconnect();

    await panel.button('Show Trace').click();
    await workbench.webview('Trace: why');
    await workbench.screenshot('debug-trace-title');
    await editors.titleAction('Debug');
    await debugged('agent');
  });

  it('breakpoints are bound in TypeScript that Node strips, and in TypeScript that has to be compiled', async () => {
    const { client } = await live(folders.stripped);
    await breakAt('marked.ts', LINE);
    await breakAt('plain.ts', LINE);
    await attach();
    await bound();
    for (const graph of ['plain', 'marked']) {
      const events = streamed(client, graph);
      const { file } = await pausedAt(folders.stripped, LINE);
      assert.equal(path.basename(file ?? ''), `${graph}.ts`);
      const { editors, page } = window.workbench;
      // The line that holds is marked in the file itself, and not in what the loader made of it.
      await page.locator('.debug-top-stack-frame-line').first().waitFor();
      assert.match(await editors.text(), /Annotation<string>/);
      assert.equal((await editors.tabs()).filter((tab) => tab.includes(`${graph}.ts`)).length, 1);
      await resume();
      await events;
    }
  });

  it('a compiled graph without a source map is reported, and one whose source is missing can be stopped', async () => {
    const { workbench } = window;
    const { client } = await live(folders.compiled);
    await breakAt('typed.ts', LINE);
    await attach();
    await streamed(client, 'typed');
    await workbench.runCommand('Debug Console: Focus on Debug Console View');
    const output = workbench.page.locator('.repl .monaco-list-row', {
      hasText: `The breakpoint at typed.ts:${LINE}`,
    });
    await output.first().waitFor({ timeout: 30_000 * patience });
    await breakAt('moved.js', LINE);
    await bound(1);
    const events = streamed(client, 'moved');
    await pausedAt(folders.compiled, LINE);
    await workbench.screenshot('debugger-moved-source');
    await resume();
    assert.match(JSON.stringify(await events), /WHY!/);
  });

  it('Python is debugged with nothing but debugpy, and continues without it afterwards', async () => {
    const { client } = await live(folders.python);
    const undisturbed = await streamed(client, 'snake');
    await breakAt('snake.py', PYTHON_LINE);
    await attach();
    const events = eventually('the fresh process', async () => {
      const { debugging } = (await live(folders.python)).deployment;
      return debugging === undefined ? undefined : streamed(client, 'snake');
    });
    const { file, name } = await pausedAt(folders.python, PYTHON_LINE);
    assert.deepEqual([path.basename(file ?? ''), name], ['snake.py', 'retrieve']);
    await window.workbench.screenshot('debugger-python');
    await resume();
    assert.deepEqual(await events, undisturbed);
    const disconnected = streamed(client, 'snake');
    await pausedAt(folders.python, PYTHON_LINE);
    // VS Code moves the focus there.
    await window.workbench.page.locator('.debug-top-stack-frame-line').first().waitFor();
    await detach();
    assert.deepEqual(await disconnected, undisturbed);
    assert.deepEqual(await streamed(client, 'snake'), undisturbed);
  });

  it('a Python node is run alone, with another input', async () => {
    const { workbench } = window;
    const { editors, page } = workbench;
    const { client } = await live(folders.python);
    await editors.open('snake.py');
    await page
      .locator('.codelens-decoration a')
      .filter({ hasText: 'Run snake' })
      .click({ timeout: 60_000 * patience });
    const panel = await window.runPanel('snake');
    await panel.json({ question: 'why' });
    await panel.button('Run').click();
    assert.match(await panel.outcome(), /^Done/);
    await panel.turnOn('Show Graph');
    const graph = panel.frame.getByRole('region', { name: 'Graph', exact: true });
    await graph.getByRole('button', { name: /^retrieve/ }).click();
    await graph.getByRole('button', { name: 'Run This Node' }).click();
    await editors.waitForText('"question": "why"');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('{ "question": "how" }');
    await page.locator('.codelens-decoration').getByText('Run This Node').click();
    await editors.waitForText('"question": "HOW"');
    await workbench.screenshotInThemes('run-node-python');
    const [thread] = await client.threads.search({ body: { limit: 1 } });
    assert.deepEqual(thread?.values, { question: 'WHY' }, 'nothing was written');
    await editors.discardAll();
  });

  it('code that blocks its event loop is a problem at its line', async () => {
    const { workbench } = window;
    const { client } = await live(folders.python);
    await client.runs.waitStateless({ body: { assistant_id: 'sleepy', input: { question: 'why' } } });
    await workbench.editors.open('sleepy.py');
    await workbench.runCommand('Problems: Focus on Problems View');
    const problem = workbench.page.locator('.markers-panel .monaco-list-row', { hasText: 'Agent Harbor' });
    await problem.first().waitFor({ timeout: 30_000 * patience });
    await workbench.screenshotInThemes('blocking-call');
    await workbench.runCommand('View: Hide Panel');
  });

  /** Opens the panel of a graph and sets a breakpoint before a node. */
  async function stoppedBefore(graph: string, source: string, node: string) {
    const { editors, page } = window.workbench;
    await editors.open(source);
    const lens = page.locator('.codelens-decoration a').filter({ hasText: `Run ${graph}` });
    await lens.click({ timeout: 60_000 * patience });
    const panel = await window.runPanel(graph);
    await panel.frame.getByRole('textbox', { name: 'question' }).fill('why', { timeout: 60_000 * patience });
    await panel.button('Options').click();
    await panel.frame.getByRole('checkbox', { name: `Stop before ${node}` }).check();
    await page.keyboard.press('Escape');
    await panel.button('Run').click();
    await panel.frame
      .getByText(`Paused before “${node}”`)
      .first()
      .waitFor({ timeout: 30_000 * patience });
    return panel;
  }

  /** The active editor may hide the panel by now. */
  async function finished(folder: string): Promise<void> {
    const { client } = await live(folder);
    await eventually('the run to end', async () => {
      const [newest] = await client.threads.search({ body: { limit: 1 } });
      return newest?.status === 'idle';
    });
  }

  it('Step Into Next Node attaches, and stops once at the first line of the next node', async () => {
    const panel = await stoppedBefore('agent', 'agent.ts', 'answer');
    await panel.button('Step Into Next Node').click();
    const at = await pausedAt(folders.transformed, ANSWER_LINE);
    assert.equal(path.basename(at.file ?? ''), 'agent.ts');
    await window.workbench.screenshot('step-into');
    await resume();
    await finished(folders.transformed);
    // Its breakpoint is gone.
    const { client } = await live(folders.transformed);
    assert.match(JSON.stringify(await streamed(client, 'agent')), /WHY!/);
  });

  it('Step Into Next Node stops in Python too', async () => {
    const panel = await stoppedBefore('snake', 'snake.py', 'retrieve');
    await panel.button('Step Into Next Node').click();
    const at = await pausedAt(folders.python, PYTHON_LINE);
    assert.deepEqual([path.basename(at.file ?? ''), at.name], ['snake.py', 'retrieve']);
    await resume();
    await finished(folders.python);
  });

  it('a launch.json opens the panel of its graph, and stops at the first line of its first node', async () => {
    const { workbench } = window;
    const launch = path.join(folders.stripped, '.vscode', 'launch.json');
    await mkdir(path.dirname(launch), { recursive: true });
    const configuration = {
      type: 'agent-harbor',
      request: 'attach',
      name: 'LangGraph: plain',
      config: path.join(folders.stripped, 'langgraph.json'),
      graph: 'plain',
      stopOnEntry: true,
    };
    await writeFile(launch, JSON.stringify({ version: '0.2.0', configurations: [configuration] }));
    try {
      await detach();
      // VS Code does not notice the file otherwise. One of the folders is served then.
      await window.reload();
      await window.openViews(/^ +- \w+/m);
      // A panel that opens with no source in sight moves beside one, and is loaded again there.
      await workbench.editors.open('plain.ts');
      await workbench.runCommand('Debug: Select and Start Debugging');
      const listed = await eventually(
        'the configuration of the launch.json',
        async () => (await workbench.quickInput.state())?.items.map(({ label }) => label) ?? [],
        (labels) => labels.some((label) => label.startsWith('LangGraph: plain')),
      );
      await workbench.quickInput.pick(listed.find((label) => label.startsWith('LangGraph: plain')) ?? '');
      await workbench.page.locator('.debug-toolbar').waitFor({ timeout: 30_000 * patience });
      const panel = await window.runPanel('plain');
      await panel.json({ question: 'why' });
      // Its breakpoint is there as soon as the debugger is.
      await workbench.runCommand('Run and Debug: Focus on Breakpoints View');
      const stops = workbench.page.locator('.debug-breakpoints .monaco-list-row', {
        hasText: new RegExp(`plain[.]ts.*${LINE}:[0-9]`),
      });
      await stops.first().waitFor({ timeout: 30_000 * patience });
      await panel.button('Run').click();
      const { name } = await pausedAt(folders.stripped, LINE);
      assert.equal(name, 'retrieve');
      await resume();
      await finished(folders.stripped);
      // If no graph is run, the breakpoint ends with the session.
      await detach();
      await workbench.runCommand('Debug: Start Debugging');
      await stops.first().waitFor({ timeout: 30_000 * patience });
      await workbench.runCommand('Debug: Disconnect');
      // Its row no longer shows a column once it is unbound.
      const rows = workbench.page.locator('.debug-breakpoints .monaco-list-row', { hasText: 'plain.ts' });
      await rows.first().waitFor({ state: 'detached', timeout: 10_000 });
    } finally {
      await rm(launch);
    }
  });

  it('nothing causes an error on the console', () => {
    assert.deepEqual(window.workbench.problems(), []);
  });
});

function pidOf(events: readonly unknown[]): number {
  const found = /"pid":(\d+)/.exec(JSON.stringify(events));
  return Number(found?.[1]);
}

/** The sockets on which a process listens; empty if the system does not report them. */
async function portsOf(pid: number): Promise<string[]> {
  if (process.platform !== 'linux') return [];
  const files = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  const own = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const LISTENS = '0A';
  const sockets = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').slice(1);
  return sockets
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTENS && own.has(inode ?? ''))
    .map(([, address]) => address ?? '');
}
