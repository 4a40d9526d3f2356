import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { datasetText, type EvaluatedProject, evaluatedProject } from '../support/evaluated-project.ts';
import { exampleFolder } from '../support/example.ts';
import { eventually } from '../support/wait.ts';
import type { Workbench } from '../support/workbench/workbench.ts';
import { HarborWindow, SharedVsCode } from './pages/harbor-window.ts';
import { RunPanelPage } from './pages/run-panel-page.ts';
import { TestingPage } from './pages/testing-page.ts';

let folder: string;
let vscode: SharedVsCode;

before(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-errors-')));
  // A file at this path also stops root, which permissions do not.
  await writeFile(path.join(folder, 'taken'), 'not a folder');
  vscode = new SharedVsCode({ dataDir: path.join(folder, 'taken', 'data') });
});

after(async () => {
  await vscode?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

describe('a data folder that cannot be used', function () {
  this.timeout(120_000);
  let window: HarborWindow;

  before(async () => {
    window = await vscode.open({ folder: await exampleFolder('docs-agent') });
  });

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  it('is named in one sentence, and tried again when asked to', async () => {
    const { workbench } = window;
    await workbench.openViewContainer('Agent Harbor');
    const notification = await workbench.notifications.waitFor(/cannot write to its data folder/, 30_000);
    assert.ok(notification.message.includes(window.dataDir), notification.message);
    assert.deepEqual(notification.buttons, ['Try Again', 'Show Log']);
    const deployments = await workbench.view('Deployments');
    await deployments.waitForWelcome('The local server could not be started.');
    await workbench.screenshot('welcome-failed');

    await rm(path.join(folder, 'taken'));
    await workbench.notifications.press(/cannot write to its data folder/, 'Try Again');
    await deployments.waitForText(/^ +- docs_agent\b/m, 60_000);
  });
});

describe('an error message', function () {
  this.timeout(180_000);
  /** The folder that was opened last. */
  let project: string;
  let window: HarborWindow;
  /** The window of the test that runs. */
  let opened: Workbench | undefined;

  before(async () => {
    window = await vscode.open();
  });

  after(() => window?.close());

  afterEach(async function () {
    await (opened ?? window.workbench).afterTest(this.currentTest);
    await opened?.close();
    opened = undefined;
  });

  /** Opens a window on a folder with these files, and its views. */
  async function openProject(name: string, files: Readonly<Record<string, string>>): Promise<Workbench> {
    // A retried test starts in another folder, because the server still watches the previous one.
    project = path.join(await mkdtemp(path.join(folder, 'try-')), name);
    await mkdir(project);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(project, file)), { recursive: true });
      await writeFile(path.join(project, file), text);
    }
    return openFolder(project);
  }

  async function openFolder(of: string): Promise<Workbench> {
    opened = await window.workbench.openWindow({ folder: of });
    await opened.openViewContainer('Agent Harbor');
    return opened;
  }

  async function showsProblem(workbench: Workbench, problem: RegExp): Promise<void> {
    await (await workbench.view('Deployments')).waitForMessage(problem, 60_000);
  }

  const config = (graphPath: string) => JSON.stringify({ graphs: { agent: graphPath } });

  it('says that a folder is needed', async () => {
    await window.workbench.openViewContainer('Agent Harbor');
    const deployments = await window.workbench.view('Deployments');
    const welcome = await deployments.waitForWelcome('Create an agent');
    assert.deepEqual(welcome.split('\n').slice(0, 3), [
      'Create an agent that runs offline, or open a folder that contains a langgraph.json.',
      'Create Agent Project',
      'Open Folder',
    ]);
    assert.match(welcome, /add a connection/);
  });

  it('says that langgraph.json is missing, and creates one for the chosen graphs that it finds', async () => {
    const workbench = await openProject('no-config', {});
    const deployments = await workbench.view('Deployments');
    await deployments.waitForWelcome('No langgraph.json was found in the open folder.');
    await workbench.screenshot('welcome-no-config');
    await deployments.clickWelcome('Create langgraph.json');
    await workbench.notifications.waitFor(/^No graph was found in no-config\./);
    await assert.rejects(access(path.join(project, 'langgraph.json')));

    const source =
      "import { StateGraph } from '@langchain/langgraph';\nexport const graph = new StateGraph({}).compile();\n";
    for (const name of ['billing.mjs', 'support.mjs']) await writeFile(path.join(project, name), source);
    await deployments.clickWelcome('Create langgraph.json');
    const { items } = await workbench.quickInput.waitFor('Create langgraph.json');
    assert.deepEqual(
      items.map(({ label, description }) => [label, description]),
      [
        ['billing', './billing.mjs:graph'],
        ['support', './support.mjs:graph'],
      ],
    );
    await workbench.quickInput.pick('billing');
    await workbench.quickInput.accept();
    const text = await eventually(
      'the file',
      () => workbench.editors.text(),
      (shown) => shown.includes('"support": "./support.mjs:graph"'),
    );
    assert.equal(text.includes('billing'), false);
  });

  it('says where langgraph.json is not valid, opens it there, and serves it once it is fixed', async () => {
    const workbench = await openProject('broken-config', {
      'langgraph.json': '{\n  "graphs": { "agent": }\n}\n',
      'agent.mjs': 'export const graph = 7;\n',
    });
    await showsProblem(workbench, /^langgraph\.json:2:24: Not valid JSON/);
    const deployments = await workbench.view('Deployments');
    await deployments.waitForText('- broken-config · failed');
    await deployments.click('broken-config');
    await workbench.editors.waitForText('"agent": }');
    await workbench.screenshot('broken-config');

    await writeFile(path.join(project, 'langgraph.json'), config('./agent.mjs:graph'));
    await deployments.waitForText(/▾ broken-config · 1 failed\n {2}- agent · /, 60_000);
    await showsProblem(workbench, /^agent: The export 'graph' of agent\.mjs is a number, not a graph/);
  });

  it('keeps a deployment expanded that is served because it was expanded', async () => {
    const workbench = await openProject('two', {
      'a/langgraph.json': config('./agent.mjs:graph'),
      'b/langgraph.json': config('./agent.mjs:graph'),
      'a/agent.mjs': 'export const graph = 1;\n',
      'b/agent.mjs': 'export const graph = 2;\n',
    });
    const deployments = await workbench.view('Deployments');
    await deployments.waitForText(/^▾ a · 1 failed\n {2}- agent · [^\n]*\n▸ b · not started/, 60_000);
    await (await deployments.row('b')).locator('.monaco-tl-twistie').click();
    await deployments.waitForText(/^▾ b · 1 failed\n {2}- agent · /m, 60_000);
  });

  it('says what is wrong with the source of a graph, in the tree and when it is run', async () => {
    const workbench = await openProject('syntax-error', {
      'langgraph.json': config('./agent.mjs:graph'),
      'agent.mjs': 'export const a = 1;\nexport const graph = (;\n',
    });
    await showsProblem(workbench, /^agent: agent\.mjs[^\n]*SyntaxError: Unexpected token ';'/);
    await workbench.runCommand('Agent Harbor: Run');
    const notification = await workbench.notifications.waitFor(/^agent: [^\n]*SyntaxError/);
    assert.equal(notification.severity, 'error');
    assert.deepEqual(notification.buttons, ['Show Log']);
  });

  it('says what is wrong with JSON typed into the panel', async () => {
    const workbench = await openFolder(await exampleFolder('docs-agent'));
    const deployments = await workbench.view('Deployments');
    await deployments.waitForText(/^ +- docs_agent\b/m, 60_000);
    await deployments.inlineAction(['docs-agent', 'docs_agent'], 'Run');
    const panel = new RunPanelPage(workbench.page, await workbench.webview('docs_agent'));
    await panel.button('Send').click();
    await panel.frame.getByText('Enter a message.').waitFor();
    await panel.button('JSON').click();
    await panel.frame.getByRole('textbox', { name: 'Input as JSON' }).fill('{"messages": [}');
    await panel.button('Run').click();
    await panel.frame.getByText('Line 1, column 15: This array is not closed: “]” is missing.').waitFor();
    await workbench.screenshot('invalid-json');
    assert.equal(await panel.frame.locator('.outcome').count(), 0);
  });
});

describe('a folder that is not trusted', function () {
  this.timeout(120_000);
  let window: HarborWindow;
  let project: EvaluatedProject;

  before(async () => {
    project = await evaluatedProject({
      'evals/basics.dataset.jsonl': datasetText({ inputs: { question: 'hello' } }),
    });
    window = await HarborWindow.open({
      folder: project.folder,
      settings: {
        'security.workspace.trust.enabled': true,
        'security.workspace.trust.startupPrompt': 'never',
      },
    });
  });

  after(async () => {
    await window?.close();
    await project?.[Symbol.asyncDispose]();
  });

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  it('runs, debugs and tests nothing until it is trusted', async () => {
    const { workbench } = window;
    await workbench.openViewContainer('Agent Harbor');
    const deployments = await workbench.view('Deployments');
    await deployments.waitForWelcome('The open folder is in Restricted Mode.');
    const offered = await workbench.quickInput.commands('Agent Harbor: ');
    assert.deepEqual(
      offered.filter((title) => /Run|Start|Create|Debug/.test(title)),
      [],
    );
    await workbench.screenshot('welcome-untrusted');
    // VS Code itself asks first.
    await workbench.editors.open('agent.mjs');
    await workbench.page.keyboard.press('F5');
    await workbench.dialog.waitFor(/^Do you trust the authors/);
    await workbench.dialog.press('Cancel');
    await workbench.editors.closeAll();
    assert.equal(await workbench.page.locator('.debug-toolbar').isVisible(), false);
    const tests = new TestingPage(workbench);
    await tests.open();
    await tests.press('basics', 'Run Test');
    await workbench.dialog.waitFor(/^Do you trust the authors/);
    await workbench.dialog.press('Cancel');
    assert.deepEqual(await tests.states(), ['unset']);
    assert.equal(await readServerFile(window.dataDir), undefined);

    await workbench.openViewContainer('Agent Harbor');
    await deployments.clickWelcome('Manage Workspace Trust');
    await workbench.page.getByRole('button', { name: 'Trust', exact: true }).first().click();
    await workbench.openViewContainer('Agent Harbor');
    await deployments.waitForText(/^ +- agent\b/m, 60_000);
  });
});
