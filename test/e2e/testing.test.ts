import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  CAPITALS,
  datasetText,
  type EvaluatedProject,
  evaluatedProject,
} from '../support/evaluated-project.ts';
import { eventually } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import { TestingPage } from './pages/testing-page.ts';

const DATASET = 'evals/basics.dataset.jsonl';
const HELLO = { inputs: { question: 'hello' }, outputs: { answer: 'HELLO' } };
const BYE = { inputs: { question: 'bye' }, outputs: { answer: 'BYE!' } };
/** Where the graph answers. */
const LINE = 4;
const SHOUTING = CAPITALS.replace('toUpperCase()', "toUpperCase() + (question === 'bye' ? '!' : '')");

describe('the Testing view', function () {
  this.timeout(180_000);
  let project: EvaluatedProject;
  let window: HarborWindow;
  let tests: TestingPage;

  before(async () => {
    project = await evaluatedProject({
      [DATASET]: datasetText({ dataset: { pass: { steps: null } } }, HELLO, BYE),
    });
    window = await HarborWindow.open({ folder: project.folder });
    await window.openViews('agent');
    tests = new TestingPage(window.workbench);
    await tests.open();
    await tests.expand('basics');
  });
  after(async () => {
    await window?.close();
    await project?.[Symbol.asyncDispose]();
  });
  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  it('shows why an example is red, with its scores and its trace', async () => {
    const { workbench } = window;
    await tests.press('basics', 'Run Test');
    await tests.shows(/^hello.*correct 1, steps 1.*: passed/m, /^bye.*correct 0, steps 1.*: failed/m);
    if (process.env.AGENT_HARBOR_THEMES === 'all') await workbench.screenshotInEveryTheme('testing');
    else await workbench.screenshot('testing');
    // VS Code may say a label that is new only when it next builds the row.
    assert.match(await tests.spoken('bye'), /^bye\b.* \(Failed\)/);
    await tests.press('bye', 'Open Trace');
    await workbench.webview('Trace: bye');
  });

  it('turns green by a click, and red again by itself in a continuous run', async () => {
    await project.write({ 'agent.mjs': SHOUTING });
    const client = await window.client();
    const { deployment_url } = await client.harbor.openFolder({ body: { config_path: project.config } });
    const { runs } = client.withDeployment(deployment_url);
    await eventually(
      'the graph is loaded again',
      () => runs.waitStateless({ body: { assistant_id: 'agent', input: { question: 'bye' } } }),
      (values) => JSON.stringify(values).includes('BYE!'),
      30_000,
    );
    await tests.press('basics', 'Run Test');
    await tests.shows(/^hello.*: passed/m, /^bye.*: passed/m);
    await tests.press('basics', 'Turn on Continuous Run');
    await tests.offers('basics', 'Turn off Continuous Run');
    await project.write({ 'agent.mjs': CAPITALS });
    await tests.shows(/^hello.*: passed/m, /^bye.*: failed/m);
    await project.write({
      [DATASET]: datasetText({ dataset: { pass: { steps: null } } }, HELLO, {
        ...BYE,
        outputs: { answer: 'BYE' },
      }),
    });
    await tests.shows(/^bye.*: passed/m);
    await tests.press('basics', 'Turn off Continuous Run');
  });

  it('gets a test of a recorded run from its thread, with what it needs to run again', async () => {
    const { workbench } = window;
    const { threads, runs } = await window.agentClient();
    const { thread_id } = await threads.create({ body: {} });
    const body = { assistant_id: 'agent', input: { question: 'again' }, record: true };
    await runs.wait({ params: { thread_id }, body });
    await workbench.openViewContainer('Agent Harbor');
    const view = await workbench.view('Threads');
    await view.waitForText(/▸ agent/);
    await view.contextMenuItem(['Idle', 'agent'], 'Make It a Test…');
    await workbench.quickInput.waitFor('Select a dataset in this folder');
    await workbench.quickInput.pick('New Dataset…');
    await workbench.quickInput.waitFor('New Dataset');
    await workbench.quickInput.type('made');
    await workbench.quickInput.accept();
    await workbench.dialog.waitFor('Save this run as a file?');
    await workbench.dialog.press('Save');
    const folder = path.join(project.folder, 'evals');
    const line = await eventually('the dataset', async () =>
      JSON.parse(await readFile(path.join(folder, 'made.dataset.jsonl'), 'utf8')),
    );
    assert.deepEqual([line.inputs, line.outputs.answer], [{ question: 'again' }, 'AGAIN']);
    assert.deepEqual(
      [line.cassette],
      (await readdir(path.join(folder, 'cassettes'))).map((name) => `cassettes/${name}`),
    );
    await tests.open();
    await tests.expand('made');
    await tests.press('made', 'Run Test');
    await tests.shows(/^again · correct 1, steps 1.*: /m);
    await workbench.screenshot('testing-made');
  });

  it('stops at a breakpoint of the graph, and ends the debugger with the test', async () => {
    const { page, editors } = window.workbench;
    await editors.open('agent.mjs');
    await editors.goTo(LINE);
    await page.keyboard.press('F9');
    await tests.open();
    await tests.press('hello', 'Debug Test');
    const held = page.locator('.debug-top-stack-frame-line').first();
    await held.waitFor({ timeout: 60_000 });
    await window.workbench.screenshot('testing-debugged');
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden', timeout: 30_000 });
    await tests.open();
    await tests.shows(/^hello.*: passed/m);
  });
});
