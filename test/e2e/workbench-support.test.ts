import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Mocha from 'mocha';
import { projectRoot } from '../support/cache.ts';
import { isAlive, processTree } from '../support/process-tree.ts';
import { eventually } from '../support/wait.ts';
import { allThemes } from '../support/workbench/theme.ts';
import { resultsFolder, Workbench } from '../support/workbench/workbench.ts';

const probe = path.join(projectRoot, 'test/fixtures/probe-extension');

describe('the driven workbench', function () {
  this.timeout(120_000);
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'agent harbor é2e %20-'));
    await writeFile(path.join(folder, 'notes.md'), '# Notes\n\nRead me.\n');
    const env = { PROBE_GREETING: 'hello', PROBE_DETACHED: path.join(folder, '.detached.pid') };
    workbench = await Workbench.open({ folder, extensions: [probe], env });
    await workbench.openViewContainer('Probe Box');
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(async function () {
    await workbench.afterTest(this.currentTest);
    if (!workbench.page.isClosed()) await workbench.dismissAll();
  });

  it('shows a tree as text, including rows that have to be scrolled to', async () => {
    const fruits = await workbench.view('Fruits');
    await fruits.row('Banana');
    const rows = await fruits.rows();
    assert.equal(rows.length, 62);
    assert.deepEqual(
      [rows[0], rows[1]].map((row) => [row?.label, row?.description, row?.icon, row?.isExpanded]),
      [
        ['Apple', 'red', 'circle-filled', false],
        ['Banana', 'yellow', '', undefined],
      ],
    );
    assert.match(
      await fruits.text(),
      /^▸ Apple · red\n- Banana · yellow\n- Berry 0 · small\n[\s\S]*- Berry 59 · small$/,
    );
  });

  it('expands and collapses a row', async () => {
    const fruits = await workbench.view('Fruits');
    await fruits.expand('Apple');
    await fruits.waitForText(/^▾ Apple · red\n {2}- Core · hard\n- Banana/);
    await fruits.collapse('Apple');
    await fruits.waitForText(/^▸ Apple · red\n- Banana/);
  });

  it('runs inline actions and context menu items of rows, visible or not', async () => {
    const fruits = await workbench.view('Fruits');
    await fruits.inlineAction('Banana', 'Peel');
    await workbench.notifications.waitFor('Peeled Banana.');
    await fruits.contextMenuItem('Berry 40', 'Rename Fruit');
    await workbench.notifications.waitFor('Renamed Berry 40.');
    assert.deepEqual(await fruits.contextMenu('Apple'), ['Rename Fruit']);
  });

  it('selects a row by a click', async () => {
    const fruits = await workbench.view('Fruits');
    await fruits.click('Banana');
    await workbench.notifications.waitFor('Selected Banana.');
    assert.deepEqual(
      (await fruits.rows()).filter((row) => row.isSelected).map((row) => row.label),
      ['Banana'],
    );
  });

  it('reads the message of a view and runs the actions of its title bar, including those in its menu', async () => {
    const fruits = await workbench.view('Fruits');
    assert.equal(await fruits.message(), 'All of them are ripe.');
    await fruits.titleAction('Open the Panel');
    await workbench.webview('Probe Panel');
    await workbench.editors.closeAll();
    await fruits.titleAction('Notify');
    await workbench.notifications.dismiss('The probe has news.');
    assert.deepEqual(await workbench.notifications.all(), []);
    await workbench.clickStatusBar('Probe ready');
    await workbench.notifications.waitFor('The probe has news.');
  });

  it('lists the rows that exist when a row does not', async () => {
    const fruits = await workbench.view('Fruits');
    await assert.rejects(
      fruits.row('Durian', 300),
      /the row "Durian" in the view Fruits[\s\S]*▸ Apple · red/,
    );
  });

  it('reads and answers notifications', async () => {
    await workbench.runCommand('Probe: Notify');
    const notification = await workbench.notifications.waitFor('The probe has news.');
    assert.deepEqual(notification, {
      severity: 'warning',
      message: 'The probe has news.',
      buttons: ['Tell me', 'Later'],
      hasProgress: false,
    });
    await workbench.notifications.press('The probe has news.', 'Tell me');
    await workbench.notifications.waitFor('You chose Tell me.');
  });

  it('reads and answers quick picks, input boxes and modal dialogs', async () => {
    await workbench.runCommand('Probe: Ask for a Name');
    const pick = await workbench.quickInput.waitFor('Which animal?');
    assert.deepEqual(pick.items, [
      { label: 'Cat', description: 'meows', detail: '' },
      { label: 'Dog', description: 'barks', detail: '' },
    ]);
    await workbench.quickInput.pick('Dog');
    await workbench.quickInput.waitFor('Its name?');
    await workbench.quickInput.accept();
    assert.equal((await workbench.quickInput.waitFor('Its name?')).message, 'A name is needed.');
    await workbench.quickInput.type('Rex');
    await workbench.quickInput.accept();
    const dialog = await workbench.dialog.waitFor('Adopt the Dog Rex?');
    assert.deepEqual(dialog.buttons.toSorted(), ['Adopt', 'Cancel']);
    await workbench.dialog.press('Adopt');
    await workbench.notifications.waitFor('Dog Rex is yours.');
  });

  it('closes a quick pick completely', async () => {
    await workbench.runCommand('Probe: Ask for a Name');
    await workbench.quickInput.waitFor('Which animal?');
    await workbench.quickInput.cancel();
    assert.equal(await workbench.quickInput.state(), undefined);
  });

  it('keeps evidence of a failed attempt of a test, and closes what the attempt left open', async () => {
    await workbench.runCommand('Probe: Ask for a Name');
    await workbench.quickInput.waitFor('Which animal?');
    const attempt = new Mocha.Test('that failed', () => {});
    new Mocha.Suite('a try').addTest(attempt);
    await workbench.afterTest(attempt);
    assert.equal(await workbench.quickInput.state(), undefined);
    const evidence = path.join(resultsFolder, 'failures', 'a-try-that-failed');
    assert.ok((await stat(path.join(evidence, 'screenshot.png'))).size > 10_000);
    await rm(evidence, { recursive: true });
  });

  it('knows which commands the palette offers', async () => {
    const offered = await workbench.quickInput.commands('Probe: ');
    assert.deepEqual(offered.filter((title) => title.startsWith('Probe: ')).toSorted(), [
      'Probe: Ask for a Name',
      'Probe: Fail',
      'Probe: Notify',
      'Probe: Open the Panel',
    ]);
  });

  it('talks to a webview under a strict content security policy', async () => {
    const empty = await workbench.view('Empty');
    assert.equal(await empty.welcome(), 'Nothing here yet.\nOpen the Panel');
    await empty.clickWelcome('Open the Panel');
    const panel = await workbench.webview('Probe Panel');
    await panel.getByRole('button', { name: 'Ping' }).click();
    await panel.getByText('ping pong hello').waitFor();
    assert.deepEqual(await workbench.editors.tabs(), ['Probe Panel']);
  });

  it('opens files, and reads editors, the status bar and output channels', async () => {
    await workbench.editors.open('notes.md');
    assert.match(await workbench.editors.text(), /^# Notes\n\nRead me\./);
    assert.deepEqual(await workbench.editors.tabs(), ['Probe Panel', 'notes.md']);
    await workbench.editors.closeAll();
    const texts = await workbench.statusBar();
    assert.deepEqual(
      texts.filter((text) => text.startsWith('Probe')),
      ['Probe ready'],
    );
    assert.match(await workbench.outputText('Probe Log'), /The probe is up\.\nIt listens\./);
  });

  it('runs commands in the terminal', async () => {
    const terminal = await workbench.openTerminal();
    await terminal.run('node -p "6 * 7 + process.env.PROBE_GREETING"');
    await terminal.waitForText(/^42hello$/m);
  });

  it('takes screenshots in every theme', async () => {
    for (const file of await workbench.screenshotInThemes('probe', allThemes)) {
      assert.ok((await stat(file)).size > 10_000, file);
    }
  });

  it('comes back after a reload, with a second window beside it', async () => {
    await workbench.reload();
    const fruits = await workbench.view('Fruits');
    await fruits.row('Apple');
    const second = await workbench.openWindow({ folder });
    await second.openViewContainer('Probe Box');
    await (await second.view('Fruits')).row('Banana');
    await second.close();
    await fruits.row('Banana');
  });

  it('reports errors in the extension host and nothing else', async () => {
    assert.deepEqual(workbench.problems(), []);
    await workbench.runCommand('Probe: Fail');
    const { detail } = await workbench.dialog.waitFor("Command 'Probe: Fail' resulted in an error");
    assert.equal(detail, 'The probe failed on purpose.');
    const problems = await eventually('the problems', workbench.problems, (seen) => seen.length >= 3);
    assert.deepEqual(problems.slice(0, 2), [
      '[Extension Host] The probe complains.',
      '[agent-harbor-tests.probe]The probe broke a promise.',
    ]);
    assert.match(problems[2] ?? '', /^Error: The probe broke a promise\.\n\s+at .*extension\.cjs:\d+/);
  });

  it('leaves no process and no file behind', async () => {
    const { dataFolder, pid } = workbench.server;
    const started = processTree([pid]);
    assert.ok(started.length >= 2, 'the server and its extension host run');
    const detached = Number(await readFile(path.join(folder, '.detached.pid'), 'utf8'));
    assert.ok(isAlive(detached));
    await workbench.close();
    assert.deepEqual([...started, detached].filter(isAlive), []);
    await assert.rejects(stat(dataFolder));
  });
});
