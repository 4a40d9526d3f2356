import assert from 'node:assert/strict';
import { access, appendFile, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { createProject } from '../../src/project/create-project.ts';
import { projectRoot } from '../support/cache.ts';
import { findPython, withPython } from '../support/python-environments.ts';
import { eventually, patience } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import type { RunPanelPage } from './pages/run-panel-page.ts';

/** The steps of the walkthrough, each with some text of its picture. */
const pictures = {
  'Create your first agent': 'langgraph.json',
  'Run your agent': 'How do I purge traces?',
  'Debug your agent': 'Paused at agent.ts:42 in retrieve',
  'View its trace': 'Feedback',
  'Test your agent': 'Is pier 9 open?',
  'Let a coding agent fix it': 'Fixed: the run ends without the failure',
  'Deploy your agent': 'Revision 3',
  'Purge its traces': 'no data remains',
};

/** The answer of the templates' agents to a question for the time. */
const clockTime = /\b\d\d:\d\d/;

describe('a new user', function () {
  this.timeout(180_000);
  let folder: string;
  let window: HarborWindow;

  before(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-first-use-')));
    // Wide enough for the pictures beside the steps.
    window = await HarborWindow.open({ folder, size: { width: 1700, height: 1000 } });
    await window.workbench.openViewContainer('Agent Harbor');
  });

  after(async () => {
    await window?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  it('is led by a walkthrough, with a picture for every step', async () => {
    const { workbench } = window;
    const { page } = workbench;
    await workbench.runCommand('Welcome: Open Walkthrough...');
    await workbench.quickInput.pick('Get Started with Agent Harbor');
    for (const [step, shown] of Object.entries(pictures)) {
      await page.locator('.getting-started-step').filter({ hasText: step }).click();
      await eventually(`the picture of ${step}`, async () => {
        for (const frame of await page.locator('iframe.webview.ready').all()) {
          const picture = frame.contentFrame().frameLocator('#active-frame').locator('svg');
          if ((await picture.count()) > 0 && (await picture.textContent())?.includes(shown)) return true;
        }
        return false;
      });
    }
    await workbench.screenshotInThemes('walkthrough');
    await workbench.editors.closeAll();
  });
});

describe('an empty window', function () {
  this.timeout(400_000);
  let home: string;
  let window: HarborWindow | undefined;

  beforeEach(async () => {
    home = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-first-use-')));
    const npm = { npm_config_cache: path.join(homedir(), '.npm'), npm_config_userconfig: '' };
    window = await HarborWindow.open({ env: { HOME: home, USERPROFILE: home, ...npm } });
  });

  afterEach(async function () {
    await window?.workbench.afterTest(this.currentTest);
    await window?.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it('is five clicks and a message away from the first streamed answer of a TypeScript agent', async () => {
    assert.ok(window);
    const { workbench } = window;
    const { quickInput, page } = workbench;
    let clicks = 0;
    const click = async (action: Promise<unknown>) => {
      clicks += 1;
      await action;
    };
    await click(workbench.openViewContainer('Agent Harbor'));
    const deployments = await workbench.view('Deployments');
    await workbench.screenshotInThemes('first-use-empty');
    await click(deployments.clickWelcome('Create Agent Project'));
    await quickInput.waitFor('Create Agent Project (1/3)');
    await workbench.screenshot('first-use-language');
    await click(quickInput.pick('TypeScript'));
    await quickInput.waitFor('Create Agent Project (2/3)');
    await workbench.screenshot('first-use-folder');
    await click(quickInput.pick(path.basename(home)));
    await quickInput.waitFor('Create Agent Project (3/3)');
    await quickInput.type('no/folder');
    await quickInput.accept();
    await eventually(
      'a refusal',
      () => quickInput.state(),
      ({ message }) => message.includes('Use only letters, digits, dots, hyphens, and underscores.'),
    );
    await quickInput.type('first-agent');
    await quickInput.accept();
    clicks += 1;
    await workbench.notifications.waitFor(/^Installing the dependencies of first-agent/, 90_000);
    await workbench.screenshot('first-use-installing');
    const panel = await runPanelOf(window);
    await access(path.join(home, 'first-agent', 'node_modules', '@langchain', 'langgraph'));
    await focusIn(panel);
    await page.keyboard.type('What time is it?');
    await page.keyboard.press('Enter');
    clicks += 1;
    assert.match(await panel.outcome(), /^Done/);
    await panel.waitForAnswer(clockTime);
    assert.ok((await workbench.editors.tabs()).some((tab) => tab.startsWith('graph.ts')));
    assert.equal(clicks, 6);
    await workbench.screenshotInThemes('first-use-answer');
    assert.deepEqual(workbench.problems(), []);
  });

  it('leads to the first answer of a Python agent by keyboard alone', async function () {
    assert.ok(window);
    await withPython(this, findPython);
    const { workbench } = window;
    const { quickInput, page } = workbench;
    await quickInput.runCommand('Agent Harbor: Create Agent Project…');
    await quickInput.waitFor('Create Agent Project (1/3)');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    // The title appears before the items, and Enter accepts only an active item.
    for (const [step, proposed] of [
      [2, path.basename(home)],
      [3, ''],
    ] as const) {
      await eventually(
        `step ${step}, which proposes “${proposed}”`,
        () => quickInput.state(),
        ({ title, active }) => title === `Create Agent Project (${step}/3)` && active === proposed,
      );
      await page.keyboard.press('Enter');
    }
    const panel = await runPanelOf(window);
    await access(path.join(home, 'my-agent', '.venv'));
    await focusIn(panel);
    await page.keyboard.type('What time is it?');
    await page.keyboard.press('Enter');
    assert.match(await panel.outcome(), /^Done/);
    await panel.waitForAnswer(clockTime);
    await workbench.screenshot('first-use-python');
    assert.deepEqual(workbench.problems(), []);
  });
});

describe('an existing TypeScript project', function () {
  this.timeout(300_000);
  let folder: string;
  let window: HarborWindow;

  before(async () => {
    const temporary = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-first-use-')));
    folder = path.join(temporary, 'theirs');
    await createProject({ templates: path.join(projectRoot, 'templates'), template: 'typescript', folder });
    await needVariable(folder);
    window = await HarborWindow.open({ folder });
    await window.workbench.openViewContainer('Agent Harbor');
  });

  after(async () => {
    await window?.close();
    await rm(path.dirname(folder), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  it('leads to its first run: its dependencies, its env file, the run', async () => {
    const { workbench } = window;
    const { page } = workbench;
    const deployments = await workbench.view('Deployments');
    await workbench.notifications.waitFor('Dependencies for theirs are not installed.', 60_000);
    await workbench.screenshotInThemes('dependencies-missing');
    await workbench.notifications.dismissAll();
    await deployments.waitForText(
      /^ +- 1 Install Dependencies · npm install\n +- 2 Create \.env · from \.env\.example\n +- 3 Run$/m,
    );
    // Running first installs the dependencies, and asks for the variables that the graphs need to load.
    await deployments.click(['theirs', '3 Run']);
    await deployments.waitForText(
      /^▾ theirs · installing…\n +- 1 Installing Dependencies…\n +- 2 Create \.env · .*\n +- 3 Run$/m,
    );
    const { quickInput } = workbench;
    await eventually(
      'the question for the key',
      () => quickInput.state(),
      ({ title }) => title === 'Set TOWN_API_KEY',
      200_000,
    );
    await workbench.screenshot('first-use-key');
    await quickInput.type('y');
    await quickInput.accept();
    await quickInput.waitFor('Set TOWN_TOKEN');
    await quickInput.cancel();
    // After canceling, the steps can be continued.
    await deployments.waitForText(
      /^▾ theirs · not set up yet\n +- 1 Install Dependencies\n +- 2 Fill In \.env · TOWN_TOKEN\n +- 3 Run\n +- agent · .*TOWN_TOKEN is not set/m,
      60_000,
    );
    await deployments.click(['theirs', '2 Fill In .env']);
    await eventually('the env file', async () => (await workbench.editors.tabs()).includes('.env'));
    // The cursor is at the empty value.
    await page.keyboard.type('x');
    await page.keyboard.press('Control+s');
    await deployments.waitForText(/^ +- 1 Install Dependencies\n +- 2 Run · ready$/m, 60_000);
    assert.equal(
      await readFile(path.join(folder, '.env'), 'utf8'),
      '# Of the town.\nTOWN_API_KEY=y\nTOWN_TOKEN=x\n',
    );
    await deployments.click(['theirs', '2 Run']);
    await runPanelOf(window);
    await deployments.waitForText(/^▾ theirs · 1 graph\n {2}- agent · /m);
    // A save loads the graphs again, and their rows stay visible.
    const graph = path.join(folder, 'src', 'agent', 'graph.ts');
    const saved = appendFile(graph, '// saved\n');
    await deployments.waitForText(/^▾ theirs · reloading…\n {2}- agent · /m, 20_000);
    await saved;
    await deployments.waitForText(/^▾ theirs · 1 graph\n {2}- agent · /m, 20_000);
    assert.deepEqual(workbench.problems(), []);
  });
});

/** Waits until what is typed goes into the message of a panel. */
async function focusIn(panel: RunPanelPage): Promise<void> {
  const box = panel.frame.getByRole('textbox', { name: 'Message' });
  await eventually('the focus in the message', () => box.evaluate((element) => element.matches(':focus')));
}

/** As in a repository whose graphs call a provider: they do not load without a key. */
async function needVariable(folder: string): Promise<void> {
  const configFile = path.join(folder, 'langgraph.json');
  const config = JSON.parse(await readFile(configFile, 'utf8'));
  await writeFile(configFile, JSON.stringify({ ...config, env: '.env' }));
  await writeFile(path.join(folder, '.env.example'), '# Of the town.\nTOWN_API_KEY=\nTOWN_TOKEN=\n');
  await appendFile(
    path.join(folder, 'src', 'agent', 'graph.ts'),
    "for (const name of ['TOWN_API_KEY', 'TOWN_TOKEN'])\n  if (!process.env[name]) throw new Error(`${name} is not set.`);\n",
  );
}

/** The panel that opens by itself once everything is installed. */
async function runPanelOf(window: HarborWindow) {
  await eventually(
    'the run panel',
    () => window.workbench.editors.tabs(),
    (tabs) => tabs.includes('agent'),
    240_000,
  );
  const panel = await window.runPanel('agent');
  await panel.frame.getByRole('textbox', { name: 'Message' }).waitFor({ timeout: 60_000 * patience });
  return panel;
}
