import assert from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { type ModelOrigin, modelOrigin } from '../support/model-origin.ts';
import type { GraphProject } from '../support/projects.ts';
import { replayProject } from '../support/replay-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually, patience } from '../support/wait.ts';
import { look } from './pages/check-appearance.ts';
import { copiesPointed } from './pages/copies-pointed.ts';
import { enterPath } from './pages/enter-path.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import { TracePanelPage } from './pages/trace-panel-page.ts';

const KEY = 'the-openai-key';

describe('run files', function () {
  this.timeout(180_000);
  let origin: ModelOrigin;
  let project: GraphProject;
  let window: HarborWindow;
  let file: string;

  before(async () => {
    origin = await modelOrigin();
    project = await replayProject({
      MODEL_ORIGIN: origin.url,
      OPENAI_API_KEY: KEY,
      ANTHROPIC_API_KEY: 'the-anthropic-key',
    });
    file = path.join(project.folder, 'trip.agentrun');
    const head = {
      kind: 'agentrun',
      version: 1,
      created_at: '',
      graph_id: 'agent',
      git: null,
      variables: {},
    };
    await writeFile(path.join(project.folder, 'half.agentrun'), `${JSON.stringify(head)}\n`);
    window = await HarborWindow.open({ folder: project.folder });
    await window.openViews('agent');
  });
  after(async () => {
    await window?.close();
    await project?.[Symbol.asyncDispose]();
    await origin?.[Symbol.asyncDispose]();
  });
  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  it('are saved from a recorded run, after a review of their contents', async () => {
    const { workbench } = window;
    await rm(file, { force: true });
    const panel = await window.newRunPanel('Deployments', [path.basename(project.folder), 'agent']);
    await panel.frame.getByRole('button', { name: 'Options' }).click();
    await panel.frame.getByRole('checkbox', { name: 'Record what models and tools answer' }).check();
    await look(workbench, panel.frame, 'run-files-recording');
    await panel.send('Plan a trip');
    await panel.question.waitFor({ timeout: 60_000 * patience });
    await workbench.runCommand('Agent Harbor: Save Run as File…');
    const { detail } = await workbench.dialog.waitFor('Save this run as a file?');
    await workbench.screenshot('run-files-preview');
    assert.match(detail, /^Graph agent\n\d+ requests with their answers: 127\.0\.0\.1:\d+/);
    assert.match(detail, /Redacted \(\*\): OPENAI_API_KEY/);
    await workbench.dialog.press('Show Contents');
    const review = new TracePanelPage(workbench.page, await workbench.customEditor());
    await review.frame.getByText(/^\d+ requests$/).waitFor();
    await review.frame
      .getByRole('row', { name: /^POST 127\.0\.0\.1:\d+ · 200/ })
      .first()
      .click();
    await review.details.getByText('Plan a trip').first().waitFor();
    await review.details.getByText('request headers.authorization').waitFor();
    await look(workbench, review.frame, 'run-files-review');
    await workbench.editors.titleAction('Save…');
    await enterPath(window.workbench, 'Save Run as File', file);
    const text = await eventually('the run file', () => readFile(file, 'utf8'));
    assert.ok(text.startsWith('{"kind":"agentrun"') && !text.includes(KEY));
  });

  it('are replayed without their models, and a changed prompt is shown beside the recorded one', async () => {
    const { workbench } = window;
    await origin.close();
    await setPrompt('You are brief.');
    await replayUntil(/^trip\.agentrun: Replay matches the recording \(\d+ requests\)/);
    await workbench.notifications.dismissAll();
    await setPrompt('You are verbose.');
    await replayUntil(/^Node 'plan' sent a request that was not recorded/);
    const diff = workbench.page.locator('.monaco-diff-editor');
    await diff.locator('.modified .view-line').filter({ hasText: 'verbose' }).waitFor();
    await diff.locator('.original .view-line').filter({ hasText: 'brief' }).waitFor();
    await workbench.screenshot('run-files-divergence');
    await workbench.notifications.dismissAll();
  });

  it('are not needed to replay a recorded thread from a state: earlier requests are not repeated', async () => {
    const { workbench } = window;
    await workbench.editors.closeAll();
    await setPrompt('You are brief.');
    const threads = await workbench.view('Threads');
    const thread = ['Waiting', 'Plan a trip'];
    await threads.click(thread);
    const panel = await window.runPanel('agent');
    await panel.turnOn('History');
    const replayFrom = (step: number) => () =>
      panel.frame.getByRole('button', { name: `Replay from Here: Step ${step}` }).click();
    await until(/^agent from step 0: Replay matches the recording \(\d+ requests\)/, replayFrom(0));
    await look(workbench, panel.frame, 'replay-from-here');
    await setPrompt('You are verbose.');
    await until(/^Node 'plan' sent a request that was not recorded/, replayFrom(0));
    await workbench.editors.closeAll();
    await threads.expand(thread);
    const fromPlan = () => threads.contextMenuItem([...thread, 'plan'], 'Replay from Here');
    await until(/^agent from step 1: Replay matches the recording \(\d+ requests\)/, fromPlan);
  });

  it('are replayed from one of their states', async () => {
    await window.workbench.editors.closeAll();
    await setPrompt('You are verbose.');
    const fromPlan = async () => {
      await chooseHow('From a State…');
      await window.workbench.quickInput.waitFor('Start from…');
      await window.workbench.quickInput.pick('plan');
    };
    await until(/^trip\.agentrun: Replay matches the recording \(\d+ requests\)/, fromPlan);
    await setPrompt('You are brief.');
  });

  it('are replayed in a project that lacks the keys', async () => {
    const { workbench } = window;
    const env = path.join(project.folder, '.env');
    const variables = await readFile(env, 'utf8');
    try {
      await setPrompt('You are brief.');
      await rm(env);
      await workbench.runCommand('Agent Harbor: Reload Graphs');
      const deployments = await workbench.view('Deployments');
      await deployments.waitForText(/1 failed/, 60_000);
      await replayUntil(/^trip\.agentrun: Replay matches the recording \(\d+ requests\)/);
    } finally {
      await writeFile(env, variables);
    }
  });

  it('open read-only, as the thread with its trace', async () => {
    const { workbench } = window;
    const page = await openFile(window);
    await page.frame.getByText(/^\d+ requests$/).waitFor();
    await page.select('research');
    await page.details.getByRole('region', { name: 'Output' }).waitFor();
    await page.select('trip');
    await page.details.getByText('Plan a trip').first().waitFor();
    await page.details.getByText('answer').first().waitFor();
    await page.details.getByText('Waiting for input').waitFor();
    assert.equal(await page.details.getByText('Done', { exact: true }).count(), 0);
    assert.equal(await page.details.getByRole('region', { name: 'Feedback' }).count(), 0);
    await look(workbench, page.frame, 'run-files-editor');
  });

  it('say that their run is paused when it has stopped at a breakpoint', async () => {
    const text = await readFile(file, 'utf8');
    assert.match(text, /"waits":true,"next":\["/);
    const page = await openFile(window);
    try {
      await writeFile(file, text.replace('"waits":true', '"waits":false'));
      await page.frame.locator('header').getByText('Paused').waitFor();
      await look(window.workbench, page.frame, 'run-files-paused');
    } finally {
      await writeFile(file, text);
    }
    await page.frame.locator('header').getByText('Waiting for input').waitFor();
  });

  it('have rows and values that can be copied', async () => {
    const page = await openFile(window);
    const copies = (pointedAt: Locator, item: string, wanted: (text: string) => boolean) =>
      copiesPointed(window.workbench.page, pointedAt, item, wanted);
    const saved = (await readFile(file, 'utf8')).split('\n').flatMap((line) => {
      const { span } = line === '' ? {} : JSON.parse(line);
      return span?.name === 'research' ? [span.id] : [];
    });
    await page.select('research');
    await copies(page.selected, 'Copy ID', (text) => saved.length === 1 && text === saved[0]);
    const isOutput = (text: string) => text.startsWith('{') && text.includes('"found"');
    await copies(page.part('Output'), 'Copy JSON', isOutput);
  });

  it('are updated when they change on disk', async () => {
    const page = await openFile(window);
    await page.select('look');
    const text = await readFile(file, 'utf8');
    try {
      await writeFile(file, text.replaceAll('"name":"look"', '"name":"look again"'));
      await page.waitForSelected('look again');
      await rm(file);
      await page.frame.getByText('The run file could not be read').first().waitFor();
    } finally {
      await writeFile(file, text);
    }
    await page.waitForSelected('look');
    await eventually(
      'no problem',
      () => page.frame.getByText('The run file could not be read').count(),
      (count) => count === 0,
    );
  });

  it('open with a double click in a folder that has no project and is not trusted, where nothing runs', async () => {
    const settings = {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
    };
    await using folder = await temporaryFolder();
    await cp(file, path.join(folder.path, 'trip.agentrun'));
    const untrusted = await HarborWindow.open({ folder: folder.path, settings });
    try {
      await untrusted.workbench.waitForStatus(/Restricted Mode/);
      const row = untrusted.workbench.page.locator('.explorer-folders-view .monaco-list-row');
      await row.filter({ hasText: 'trip.agentrun' }).dblclick();
      const page = new TracePanelPage(untrusted.workbench.page, await untrusted.workbench.customEditor());
      await page.frame.getByText(/^\d+ requests$/).waitFor();
      await page.select('research');
      await page.part('Output').waitFor();
      await untrusted.workbench.screenshot('run-files-alone');
      const offered = await untrusted.workbench.quickInput.commands('Agent Harbor: ');
      assert.deepEqual(
        offered.filter((title) => /Replay|Import/.test(title)),
        [],
      );
      assert.equal(await readServerFile(untrusted.dataDir), undefined);
      assert.deepEqual(untrusted.workbench.problems(), []);
    } finally {
      await untrusted.close();
    }
  });

  it('say why they cannot be shown when they are incomplete', async () => {
    const { workbench } = window;
    await workbench.editors.closeAll();
    await workbench.quickInput.openFile('half.agentrun');
    const frame = await workbench.customEditor();
    await frame.getByText('The run file could not be read: it is incomplete: its end is missing.').waitFor();
  });

  it('are imported as threads that can be continued', async () => {
    const { workbench } = window;
    await workbench.editors.closeAll();
    await workbench.runCommand('Agent Harbor: Import Run File…');
    await enterPath(window.workbench, 'Import Run File', file);
    const panel = await window.runPanel('agent');
    await panel.question.waitFor();
    const threads = await workbench.view('Threads');
    await threads.waitForText(/trip/);
  });

  async function openFile({ workbench }: HarborWindow): Promise<TracePanelPage> {
    await workbench.editors.closeAll();
    await workbench.quickInput.openFile('trip.agentrun');
    return new TracePanelPage(workbench.page, await workbench.customEditor());
  }

  async function setPrompt(prompt: string): Promise<void> {
    const source = path.join(project.folder, 'prompt.mjs');
    const text = `export const PROMPT = '${prompt}';\n`;
    if ((await readFile(source, 'utf8')) !== text) await writeFile(source, text);
  }

  const replayUntil = (outcome: RegExp) => until(outcome, () => chooseHow('From the File'));

  /** Replays until this is the outcome: a changed graph takes a while to load again. */
  async function until(outcome: RegExp, replay: () => Promise<void>): Promise<void> {
    const { notifications } = window.workbench;
    await eventually(
      `a replay with the outcome ${outcome}`,
      async () => {
        await notifications.dismissAll();
        await replay();
        const { message } = await eventually(
          'the outcome of a replay',
          async () =>
            (await notifications.all()).find(({ message }) => !/^(Replaying|Reading)/.test(message)),
          Boolean,
          60_000,
        );
        return message;
      },
      (message) => outcome.test(message),
      60_000,
    );
  }

  async function chooseHow(how: string): Promise<void> {
    await window.workbench.runCommand('Agent Harbor: Replay Run File…');
    await enterPath(window.workbench, 'Replay Run File', file);
    await window.workbench.quickInput.waitFor('Replay trip.agentrun');
    await window.workbench.quickInput.pick(how);
  }
});
