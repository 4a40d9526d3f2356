import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isTerminal } from '../../src/contract/control-plane/revisions.ts';
import { slowGraphFile, smallProject } from '../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../support/control-plane/git-repository.ts';
import { installLine } from '../support/projects.ts';
import { eventually } from '../support/wait.ts';
import type { View } from '../support/workbench/view.ts';
import type { Workbench } from '../support/workbench/workbench.ts';
import { HarborWindow } from './pages/harbor-window.ts';

/** `npm run soak` cancels at every step, in every way. */
const isSoak = process.env.AGENT_HARBOR_SOAK === '1';

/** The questions in their order, each with the text that identifies it and its answer. */
const steps = [
  { name: 'name', title: 'Deploy (1/3)', answer: undefined },
  { name: 'source', title: 'Select a source', answer: 'Current folder' },
  { name: 'variables', title: 'Select variables from .env to deploy (stored as secrets)', answer: undefined },
] as const;
type StepName = (typeof steps)[number]['name'] | 'confirmation';

describe('deploying the open folder', function () {
  this.timeout(240_000);
  let repository: GitRepository;
  let window: HarborWindow;
  let workbench: Workbench;
  let deployments: View;

  before(async () => {
    repository = await gitRepository();
    await repository.push({ ...(await smallProject('first')), '.gitignore': 'node_modules\n.env\n' });
    await write({ '.env': 'A_SECRET=hush\n', ...slowGraphFile('not committed') });
    const installed = await installLine('langgraph-1.7');
    const modules = path.join(repository.workDir, 'node_modules');
    await symlink(path.join(installed, 'node_modules'), modules, 'junction');
    window = await HarborWindow.open({ folder: repository.workDir });
    workbench = window.workbench;
    await window.openViews('slow');
    deployments = await workbench.view('Deployments');
  });

  after(async () => {
    await window?.close();
    await repository?.[Symbol.asyncDispose]();
  });

  afterEach(function () {
    return workbench.afterTest(this.currentTest);
  });

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files))
      await writeFile(path.join(repository.workDir, name), text);
  }

  /** The deployment created from a source; the folder itself is served without being deployed. */
  async function built() {
    const { resources } = await (await window.client()).deployments.list();
    return resources.filter(({ latest_revision_id }) => latest_revision_id !== null);
  }

  /** Waits until a question is shown, and for the name also until the default is filled in. */
  async function asked({ name, title }: (typeof steps)[number]): Promise<void> {
    const { quickInput } = workbench;
    await quickInput.waitFor(title);
    if (name === 'name')
      await eventually(
        'the name',
        () => quickInput.state(),
        ({ value }) => value === 'work',
      );
  }

  /** Starts deploying, and answers every question before a step. */
  async function goTo(
    wanted: StepName,
    source: string = steps[1].answer,
    command = 'Deploy…',
  ): Promise<void> {
    const { quickInput } = workbench;
    await workbench.runCommand(`Agent Harbor: ${command}`);
    for (const step of steps) {
      await asked(step);
      const { name, answer } = step;
      if (name === wanted) return;
      if (answer === undefined) await quickInput.accept();
      else await quickInput.pick(source);
    }
    await workbench.dialog.waitFor('Deploy work to Local?');
  }

  /** Deletes deployments of an earlier attempt. */
  async function deleteBuilt(): Promise<void> {
    const client = await window.client();
    for (const { id } of await built()) await client.deployments.delete({ params: { deployment_id: id } });
    await deployments.waitForText((text) => !/[▸▾] work · (?!1 graph)/.test(text), 30_000);
  }

  /** Stops builds of an earlier attempt. */
  async function stopBuilds(): Promise<void> {
    const client = await window.client();
    for (const { id: deployment_id } of await built()) {
      const { resources } = await client.revisions.list({ params: { deployment_id } });
      for (const { id: revision_id } of resources.filter(({ status }) => !isTerminal(status)))
        await client.revisions.interrupt({ params: { deployment_id, revision_id } });
    }
    await progressGone();
    await workbench.notifications.dismissAll();
  }

  /** Waits for the message after the progress, which stays until it is read. */
  async function progressGone(): Promise<string[]> {
    return eventually(
      'the end of all progress',
      async () => (await workbench.notifications.all()).map(({ message }) => message),
      (shown) => shown.every((message) => !message.startsWith('Deploying')),
      30_000,
    );
  }

  const left: readonly StepName[] = isSoak ? ['name', 'source', 'variables'] : ['name', 'variables'];
  for (const step of left) {
    it(`deploys nothing when it is left at the ${step}`, async () => {
      await goTo(step);
      await workbench.quickInput.cancel();
      assert.deepEqual(await built(), []);
      assert.deepEqual(await workbench.notifications.all(), []);
    });
  }

  const back: readonly StepName[] = isSoak ? ['source', 'variables'] : ['source'];
  for (const step of back) {
    it(`goes back from the ${step} to the previous question`, async () => {
      await goTo(step);
      await workbench.quickInput.press('Back');
      const before = steps[steps.findIndex(({ name }) => name === step) - 1];
      assert.ok(before);
      await asked(before);
      await workbench.quickInput.cancel();
      assert.deepEqual(await built(), []);
    });
  }

  it('starts from the title bar of langgraph.json, for the agent of that file', async () => {
    const { editors, quickInput } = workbench;
    await editors.closeAll();
    await editors.open('langgraph.json');
    await editors.titleAction('Deploy');
    await asked(steps[0]);
    await quickInput.cancel();
    await editors.closeAll();
    assert.deepEqual(await built(), []);
  });

  it('names changes that are not included, and deploys nothing without confirmation', async () => {
    await goTo('confirmation', 'main');
    const { detail } = await workbench.dialog.waitFor('Deploy work to Local?');
    assert.deepEqual(detail.split('\n'), [
      `Source: file://${repository.workDir} (main)`,
      'Config: langgraph.json',
      'To: Local, new deployment “work”',
      'Variables: A_SECRET',
      'Not included: 1 uncommitted change',
    ]);
    await workbench.dialog.press('Cancel');
    assert.deepEqual(await built(), []);
  });

  /** Makes builds run until they are stopped, so that they are still running then, however slow the machine is. */
  async function buildForever(): Promise<void> {
    const { 'package.json': manifest = '' } = await smallProject('first');
    const scripts = { preinstall: 'node -e "setTimeout(() => {}, 600000)"' };
    await write({ 'package.json': JSON.stringify({ ...JSON.parse(manifest), scripts }) });
  }

  it('stops the build when it is canceled', async () => {
    const { notifications } = workbench;
    await deleteBuilt();
    await buildForever();
    await goTo('confirmation');
    await workbench.dialog.press('Deploy');
    await notifications.waitFor(/^Deploying work to Local: building…/, 60_000);
    await notifications.press(/^Deploying work to Local/, 'Cancel');
    await notifications.waitFor('work: Deployment canceled (stopped).', 30_000);
    await notifications.dismissAll();
    await deployments.waitForText(/^▾ Local\n {2}▸ work · stopped$/m);
    const [made] = await built();
    assert.equal(made?.active_revision_id, null);
  });

  it('stops a revision from its row, and says so once', async () => {
    const { notifications } = workbench;
    await stopBuilds();
    await buildForever();
    await deployments.expand(['Local', 'work']);
    await workbench.runCommand('Agent Harbor: Deploy Again');
    await deployments.waitForText(/ work · building…[^\n]*\n {4}- Revision 2 · building… · /, 60_000);
    await deployments.inlineAction(['Local', 'work', 'Revision 2'], 'Stop Revision');
    await deployments.waitForText(
      / work[^\n]*\n {4}- Revision 2 · stopped[^\n]*\n {4}- Revision 1 · stopped/,
      30_000,
    );
    await notifications.waitFor(/^work/, 30_000);
    const messages = await progressGone();
    assert.deepEqual(messages, ['work: The revision was stopped.']);
    const menu = await deployments.contextMenu(['Local', 'work', 'Revision 2']);
    assert.ok(!menu.includes('Redeploy Live Revision'), 'it has no build that could be deployed');
    await notifications.dismissAll();
    await deployments.collapse(['Local', 'work']);
    assert.equal((await built())[0]?.active_revision_id, null);
  });

  it('keeps showing more than a page of revisions when another one is added', async () => {
    await stopBuilds();
    await buildForever();
    const client = await window.client();
    const deployment_id = (await built())[0]?.id ?? '';
    const body = { source_revision_config: { platform_config_path: 'langgraph.json' } };
    const revise = () => client.deployments.update({ params: { deployment_id }, body });
    // A newer revision overtakes an older one before that is built.
    for (let count = 1; count <= 20; count++) await revise();
    await stopBuilds();
    await deployments.expand(['Local', 'work']);
    const revisions = (text: string) => text.match(/^ {4}- (?!Load More)/gm)?.length ?? 0;
    const page = await deployments.waitForText((text) => revisions(text) >= 20);
    // An earlier attempt may have loaded more.
    if (revisions(page) === 20) await deployments.click(['Local', 'work', 'Load More']);
    await deployments.waitForText((text) => revisions(text) > 20);
    await revise();
    const text = await deployments.waitForText(
      / work · building…[^\n]*\n {4}- Revision \d\d · building…/,
      60_000,
    );
    assert.ok(revisions(text) > 21, text);
    // The oldest is the first, however many are shown.
    assert.match(text, new RegExp(`- Revision ${revisions(text)} · [\\s\\S]*\\n {4}- Revision 1 · `));
    await stopBuilds();
    await deployments.collapse(['Local', 'work']);
  });

  it('shows the log at the line that failed, and deploys again once that is fixed', async () => {
    const { notifications, editors } = workbench;
    await stopBuilds();
    await editors.closeAll();
    const { 'package.json': manifest = '', 'package-lock.json': lock = '' } = await smallProject('first');
    const broken = '{"name":"x","lockfileVersion":3,"packages":{}}';
    await write({ 'package.json': manifest, 'package-lock.json': broken });
    await workbench.runCommand('Agent Harbor: Deploy Again');
    await notifications.waitFor(/^work was not deployed to Local: /, 120_000);
    const shown = await eventually(
      'the build log',
      () => editors.text(),
      (text) => /npm (?:error|ERR)/.test(text),
    );
    assert.match((await editors.tabs())[0] ?? '', /^work build\.log/);
    assert.match(shown, /npm.ci/);
    await workbench.screenshotInThemes('deploy-failed');

    await write({ 'package-lock.json': lock });
    await notifications.press(/^work was not deployed to Local: /, 'Deploy Again');
    await notifications.waitFor('Deployed work to Local.', 180_000);
    const [made] = await built();
    assert.equal(made?.active_revision_id, made?.latest_revision_id);
    assert.equal(made?.source_config.workspace_dir, repository.workDir);
    assert.deepEqual(
      made?.secrets.map(({ name }) => name),
      ['A_SECRET'],
    );
    await deployments.waitForText(/^▾ Local\n {2}[▸▾] work · live$/m);
    // The log of the failure is no longer useful.
    assert.deepEqual(await editors.tabs(), []);
    await deployments.expand(['Local', 'work']);
    await deployments.waitForText(/- Revision \d+ · live · [0-9a-f]{7} \+ 1 change · /);
    await workbench.screenshotInThemes('revisions');
  });

  it('compares a failed revision with the live one, and the live one with the folder', async () => {
    const { editors, page } = workbench;
    const text = await deployments.waitForText(/- Revision \d+ · live · /);
    const live = Number(/- Revision (\d+) · live · /.exec(text)?.[1]);
    const changes = page.locator('.multiDiffEditor');
    const shown = async (title: string, ...names: string[]) => {
      await eventually(
        'the editor of changes',
        () => editors.tabs(),
        // VS Code adds how many files there are.
        ([first]) => first === `${title} (1 file)`,
      );
      for (const name of names) await changes.getByText(name, { exact: true }).first().waitFor();
    };
    await deployments.contextMenuItem(['Local', 'work', `Revision ${live - 1}`], 'Compare with Live');
    await shown(`work: Revision ${live - 1} ↔ Revision ${live} (live)`, 'package-lock.json');
    await changes.getByText('"lockfileVersion":3').first().waitFor();
    await workbench.screenshotInThemes('compare-revisions');
    await editors.closeAll();

    await write(slowGraphFile('later'));
    await deployments.contextMenuItem(['Local', 'work'], 'Compare with Folder');
    await shown(`work: Revision ${live} (live) ↔ Folder`, 'slow.mjs');
    await changes.getByText('"later"').first().waitFor();
    await workbench.screenshotInThemes('compare-folder');
    await write(slowGraphFile('not committed'));
    await editors.closeAll();
    const menu = await deployments.contextMenu(['Local', 'work', `Revision ${live}`]);
    assert.ok(menu.includes('Compare with Folder') && !menu.includes('Compare with Live'), menu.join());
    await deployments.collapse(['Local', 'work']);
  });

  it('records the runs of a deployment until recording is stopped, and again after it is resumed', async () => {
    const { dialog, notifications } = workbench;
    await deleteBuilt();
    await goTo('confirmation', 'main', 'Record Runs of New Deployment…');
    const { detail } = await dialog.waitFor('Deploy work to Local?');
    assert.ok(detail.split('\n').includes('Runs: recorded, with the answers of models and tools'), detail);
    await dialog.press('Deploy');
    const deployed = async (): Promise<void> => {
      await notifications.waitFor('Deployed work to Local.', 120_000);
      await notifications.dismissAll();
    };
    await deployed();
    await deployments.waitForText(/^▾ Local\n {2}[▸▾] work · live · records runs$/m);
    await workbench.screenshotInThemes('records-runs');
    const first = (await built())[0];
    assert.equal(first?.source_config.record, true);

    await deployments.contextMenuItem(['Local', 'work'], 'Stop Recording Runs');
    await deployed();
    await deployments.waitForText(/^▾ Local\n {2}[▸▾] work · live$/m);
    const stopped = (await built())[0];
    assert.equal(stopped?.source_config.record, false);
    assert.notEqual(stopped?.active_revision_id, first?.active_revision_id);

    const menu = await deployments.contextMenu(['Local', 'work']);
    assert.ok(!menu.includes('Stop Recording Runs'), menu.join());
    await deployments.contextMenuItem(['Local', 'work'], 'Record Runs');
    await deployed();
    await deployments.waitForText(/^▾ Local\n {2}[▸▾] work · live · records runs$/m);
    assert.equal((await built())[0]?.source_config.record, true);
  });

  it('has caused no error on the console except the one that was shown', () => {
    const others = workbench
      .problems()
      .filter((problem) => !problem.startsWith('work was not deployed to Local: '));
    assert.deepEqual(others, []);
  });
});
