import assert from 'node:assert/strict';
import { access, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';

/** The steps of the walkthrough, and some text of their pictures. */
const pictures = {
  'Begin with an agent': 'langgraph.json',
  'Run it': 'How do I purge traces?',
  'Look at its trace': 'Feedback',
  'Deploy it': 'revision 3',
  'Purge what it has learned': 'Gone from the disk',
};

describe('who begins', function () {
  this.timeout(180_000);
  let folder: string;
  let window: HarborWindow;
  let attempts = 0;

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

  it('is led through it in a walkthrough, with a picture for every step', async () => {
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
    await workbench.screenshot('walkthrough');
    await workbench.editors.closeAll();
  });

  it('creates a project from a template, and sees at once what it still needs', async () => {
    const { workbench } = window;
    const deployments = await workbench.view('Deployments');
    // Where an earlier try has made a project already, the view has no welcome any more.
    const begin = () =>
      attempts > 0
        ? workbench.runCommand('Agent Harbor: Create an Agent Project…')
        : deployments.clickWelcome('Create an Agent Project');
    await begin();
    await workbench.quickInput.waitFor('Create an agent project (1/3)');
    await workbench.quickInput.cancel();
    await begin();
    await workbench.quickInput.pick('TypeScript');
    await workbench.quickInput.waitFor('Create an agent project (2/3)');
    // A retry begins in the same folder.
    attempts += 1;
    const name = `first-agent-${attempts}`;
    await workbench.quickInput.type(name);
    await workbench.quickInput.accept();
    await workbench.quickInput.waitFor('Create an agent project (3/3)');
    await workbench.quickInput.pick(path.basename(folder));
    const { buttons } = await workbench.notifications.waitFor(new RegExp(`^${name} is there\\.`));
    assert.deepEqual(buttons, ['Install Its Packages']);
    await eventually('the graph', () => workbench.editors.text());
    await access(path.join(folder, name, 'langgraph.json'));
    await deployments.waitForText((text) => text.includes(name), 30_000);
    await workbench.screenshot('created-project');
    assert.deepEqual(workbench.problems(), []);
  });
});
