import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/cache.ts';
import { interpreterIn, makeEnvironment, withPython } from '../support/python-environments.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually, patience } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import { nameNewDataset, TestingPage } from './pages/testing-page.ts';

const NAME = 'docs-agent-python';
const QUESTION = 'What happens when the server is killed?';
/** The example cites the passages it answers from. */
const citation = /\[docs\/[\w/-]+\.md#[\w-]+\]/;

describe('the Python example in the workbench', function () {
  this.timeout(300_000);
  let root: Awaited<ReturnType<typeof temporaryFolder>> | undefined;
  let window: HarborWindow | undefined;

  /** The example where it finds the documents, with its environment as `.venv`. */
  async function exampleWith(environment: string): Promise<string> {
    root = await temporaryFolder();
    const folder = path.join(root.path, 'examples', NAME);
    await mkdir(folder, { recursive: true });
    await cp(path.join(projectRoot, 'examples', NAME), folder, {
      recursive: true,
      filter: (file) => !file.includes('.venv'),
    });
    await symlink(environment, path.join(folder, '.venv'), 'junction');
    await cp(path.join(projectRoot, 'docs'), path.join(root.path, 'docs'), { recursive: true });
    return folder;
  }

  const opened = (): HarborWindow => {
    assert.ok(window);
    return window;
  };

  before(async function () {
    const requirements = await readFile(path.join(projectRoot, 'examples', NAME, 'requirements.txt'), 'utf8');
    const environment = await withPython(this, () => makeEnvironment('python-example', requirements));
    window = await HarborWindow.open({ folder: await exampleWith(environment) });
  });
  after(async () => {
    await window?.close();
    await root?.[Symbol.asyncDispose]();
  });
  afterEach(function () {
    return window?.workbench.afterTest(this.currentTest);
  });

  it('is served by the environment in its folder', async () => {
    await opened().openViews('docs_agent');
    const deployments = await opened().workbench.view('Deployments');
    await deployments.waitForText(/^▾ docs-agent-python · 1 graph\n {2}- docs_agent · Answers questions/);
  });

  it('runs, and shows its tokens before the run ends', async () => {
    const panel = await opened().newRunPanel('Deployments', [NAME, 'docs_agent']);
    await panel.send(QUESTION);
    await panel.firstTokens();
    assert.equal(await panel.outcome(), 'Done');
    await panel.waitForAnswer(citation);
    await panel.waitForSteps('plan', 'retrieved', 'judged', 'judge', 'answer');
  });

  it('asks when it is unsure, continues with the answer, and takes feedback', async () => {
    const panel = await opened().newRunPanel('Assistants', ['docs_agent']);
    await panel.send('Can I purge traces on Mars?');
    await panel.question.waitFor({ timeout: 30_000 * patience });
    assert.equal(await panel.outcome(), 'Waiting for input');
    await panel.button('Approve').click();
    assert.equal(await panel.outcome(2), 'Done');
    await panel.waitForAnswer(citation);
    await panel.button('Good Answer').click();
    await panel.frame.locator('.thumb[aria-pressed="true"]').waitFor();
  });

  it('leaves traces with the spans of its nodes and its model, and the feedback on them', async () => {
    const traces = await opened().workbench.view('Traces');
    await traces.waitForText(/helpful 1/, 20_000);
    await traces.expand([NAME, '↳ approve']);
    await traces.waitForText(/- approve · /);
    await traces.waitForText(/▾ answer · [^\n]*\n +- ExtractiveChatModel · /);
  });

  it('gets a test from a trace, with an evaluator in Python that passes', async () => {
    const { workbench } = opened();
    const traces = await workbench.view('Traces');
    await traces.contextMenuItem([NAME, QUESTION], 'Make It a Test…');
    await nameNewDataset(workbench, 'asked');
    const evals = path.join(root?.path ?? '', 'examples', NAME, 'evals');
    await eventually('the dataset', () => readFile(path.join(evals, 'asked.dataset.jsonl'), 'utf8'));
    await eventually('the evaluator', () => readFile(path.join(evals, 'checks.py'), 'utf8'));
    const tests = new TestingPage(workbench);
    await tests.open();
    await tests.expand('asked');
    await tests.press('asked', 'Run Test');
    await tests.shows(/^What happens.*same_answer 1.*: passed/m);
    await workbench.screenshot('testing-python');
    await workbench.openViewContainer('Agent Harbor');
  });

  describe('where packages are missing', () => {
    const LACKING = 'lacking';
    const environmentOf = (folder: string) => path.join(folder, '.venv');
    const exampleFolder = () => path.join(root?.path ?? '', 'examples', NAME);

    /** A project whose environment has LangGraph, but lacks a package that its graph imports. */
    before(async () => {
      const folder = path.join(exampleFolder(), LACKING);
      const base = interpreterIn(environmentOf(exampleFolder()));
      const run = promisify(execFile);
      await mkdir(folder);
      await run(base, ['-m', 'venv', '--without-pip', environmentOf(folder)]);
      const packagesOf = async (python: string) =>
        (await run(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])).stdout.trim();
      const own = await packagesOf(interpreterIn(environmentOf(folder)));
      await writeFile(path.join(own, 'example.pth'), `${await packagesOf(base)}\n`);
      await writeFile(path.join(folder, 'requirements.txt'), 'colorama==0.4.6\n');
      await writeFile(
        path.join(folder, 'graph.py'),
        [
          'import colorama',
          'from langgraph.graph import MessagesState, StateGraph',
          'graph = StateGraph(MessagesState).add_node("a", lambda state: {}).add_edge("__start__", "a").compile()',
        ].join('\n'),
      );
      await writeFile(
        path.join(folder, 'langgraph.json'),
        JSON.stringify({ graphs: { paints: './graph.py:graph' } }),
      );
    });

    it('offers to install them, does it in a terminal, and loads the graphs', async () => {
      const deployments = await opened().workbench.view('Deployments');
      await deployments.waitForText(/lacking · /, 20_000);
      await deployments.expand([LACKING]);
      await opened().workbench.notifications.press(
        /^lacking: Packages that its graphs import are not installed for .*\.venv/,
        'Install with pip',
      );
      await deployments.waitForText(/lacking · 1 graph/, 60_000);
    });

    it('switches to the selected interpreter while it serves', async () => {
      const settings = path.join(exampleFolder(), '.vscode', 'settings.json');
      await mkdir(path.dirname(settings), { recursive: true });
      const deployments = await opened().workbench.view('Deployments');
      await writeFile(settings, '{ "python.defaultInterpreterPath": "./no-python" }');
      await deployments.waitForText(/docs-agent-python · failed/, 30_000);
      await rm(settings);
      await deployments.waitForText(/docs-agent-python · 1 graph/, 60_000);
    });
  });
});
