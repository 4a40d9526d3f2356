import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { type EvaluatedProject, evaluatedProject } from '../support/evaluated-project.ts';
import { evaluationPackages } from '../support/evaluation-packages.ts';
import { exampleFolder } from '../support/example.ts';
import { skip } from '../support/skip.ts';
import { installVsCode } from '../support/vscode-install.ts';
import { eventually } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import { RunPanelPage, wordsOf } from './pages/run-panel-page.ts';

describe('a terminal of VS Code', function () {
  this.timeout(120_000);
  let window: HarborWindow;

  before(async function () {
    if ((await installVsCode()).terminal !== 'works') {
      skip(this, 'this VS Code has no terminal, because node-pty cannot be built here');
    }
    window = await HarborWindow.open({ folder: await exampleFolder('docs-agent') });
  });

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  it("has agent-harbor on its PATH, which runs agents on the window's own server", async () => {
    await window.openViews('docs_agent');
    const terminal = await window.workbench.openTerminal();
    await terminal.run('agent-harbor --version');
    await terminal.waitForText(/^\d+\.\d+\.\d+$/m, 30_000);
    await terminal.run(`agent-harbor run docs_agent --input '{"messages": "What is a thread?"}'`);
    await terminal.waitForText(/A thread is a container for state/, 60_000);
    const threads = await window.workbench.view('Threads');
    await threads.waitForText(/What is a thread\?/, 30_000);
  });

  it('shares a server with two windows, and all three continue when it is killed during a stream', async () => {
    const second = await window.workbench.openWindow({ folder: await exampleFolder('docs-agent') });
    await second.openViewContainer('Agent Harbor');
    const threads = await second.view('Threads');
    await threads.waitForText(/What is a thread\?/, 60_000);

    await window.makeSlowAssistant('docs_agent');
    const assistants = await second.view('Assistants');
    await assistants.waitForText(/▸ slow/, 30_000);
    await assistants.inlineAction(['docs_agent', 'slow'], 'Run');
    const panel = new RunPanelPage(second.page, await second.webview('slow'));
    await panel.send('How do I purge traces?');
    await panel.firstTokens();
    const { pid } = await window.server();
    process.kill(pid, 'SIGKILL');
    assert.notEqual((await window.server(pid)).pid, pid);

    assert.equal(await panel.outcome(), 'Done');
    const answer = await panel.waitForAnswer(/./);
    assert.equal(wordsOf(answer), wordsOf(await window.newestAnswer()), 'nothing of it is missing');
    const firstThreads = await window.workbench.view('Threads');
    await firstThreads.waitForText(/How do I purge traces\?/, 60_000);
    const terminal = await window.workbench.openTerminal();
    await terminal.run(`agent-harbor run docs_agent --input '{"messages": "What is a thread?"}'`);
    await terminal.waitForText(/A thread is a container for state/, 60_000);
    await threads.waitForText(/What is a thread\?[\s\S]*What is a thread\?/, 30_000);
    assert.deepEqual(await window.workbench.notifications.all(), []);
    assert.deepEqual(await second.notifications.all(), []);
    await second.close();
  });
});

describe("a terminal while the setting sends programs' traces to the local platform", function () {
  this.timeout(180_000);
  let project: EvaluatedProject;
  let window: HarborWindow;

  before(async function () {
    if ((await installVsCode()).terminal !== 'works') {
      skip(this, 'this VS Code has no terminal, because node-pty cannot be built here');
    }
    project = await evaluatedProject({}, await evaluationPackages());
    await cp(path.join(projectRoot, 'test/fixtures/test-plugins/vitest'), project.folder, {
      recursive: true,
    });
    window = await HarborWindow.open({
      folder: project.folder,
      settings: { 'agentHarbor.tracePrograms': true },
    });
  });

  after(async () => {
    await window?.close();
    await project?.[Symbol.asyncDispose]();
  });

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  it('makes the dataset and the experiment of tests that use langsmith/vitest', async () => {
    // The server starts with the window, although no view is shown.
    await eventually('the folder is served', () => window.agentClient(), Boolean, 60_000);
    const terminal = await window.workbench.openTerminal();
    await terminal.run('node node_modules/vitest/vitest.mjs run cubes-1');
    await terminal.waitForText(/Tests +2 passed/, 120_000);
    await window.openViews('agent');
    const traces = await window.workbench.view('Traces');
    await traces.expand(['Datasets']);
    await traces.waitForText(/cubes · 2 examples/, 30_000);
    await traces.contextMenuItem(['Datasets', 'cubes'], 'Show Experiments');
    const frame = await window.workbench.webview('Experiments: cubes');
    await frame.getByRole('row', { name: /^cubes of this commit/ }).waitFor();
    await window.workbench.screenshot('terminal-vitest');
  });
});
