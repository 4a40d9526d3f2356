import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '../../support/wait.ts';
import type { Place } from './place.ts';

/** Actions on threads: two are left, and a trace of each. */
export function threadFlows(at: () => Place): void {
  it('filters threads by metadata, and shows the filter until it is cleared', async () => {
    const { workbench } = at();
    await at().haveTwoConversations();
    await at().threads.titleAction('Filter Threads');
    await at().answerBox('Filter Threads by Metadata', 'user=ada tier=');
    await eventually(
      'what is wrong with it',
      () => workbench.quickInput.state(),
      (state) => state?.message.includes('“tier=” is not a pair') === true,
    );
    await at().answerBox('Filter Threads by Metadata', 'user=ada tier=2');
    await at().threads.waitForText(/^▾ Idle · 1\n {2}▸ What is a thread\? · [^\n]*$/);
    await at().threads.waitForMessage('Filter: user=ada tier=2');
    await workbench.screenshot('threads-filtered');
    await at().threads.titleAction('Filter Threads');
    await at().answerBox('Filter Threads by Metadata', 'user=nobody');
    // VS Code shows it only where there is no message above the rows.
    await at().threads.waitForWelcome('No threads match this filter.');
    await workbench.screenshot('threads-none');
    await at().threads.titleAction('Clear Filter');
    await at().threads.waitForText(/^▾ Idle · 2/);
    await at().threads.waitForMessage('');
  });

  it('runs a command on the selected row while another row keeps changing', async () => {
    const { workbench, client } = at();
    await at().haveTwoConversations();
    const [busy] = await client.threads.search({ body: { limit: 1, metadata: { user: 'bob' } } });
    const thread_id = busy?.thread_id ?? '';
    const isOver = new AbortController();
    const change = async (): Promise<void> => {
      for (let number = 1; !isOver.signal.aborted; number++) {
        await client.threads.update({
          params: { thread_id },
          body: { metadata: { name: `draft ${number}` } },
        });
        await setTimeout(100);
      }
      await client.threads.update({ params: { thread_id }, body: { metadata: { name: '' } } });
    };
    const changing = change();
    try {
      for (let time = 1; time <= 4; time++) {
        await at().threads.contextMenuItem(['Idle', 'What is a thread?'], 'Rename Thread…');
        await workbench.quickInput.waitFor('Rename Thread');
        await workbench.quickInput.cancel();
      }
    } finally {
      isOver.abort();
      await changing;
    }
    await at().look(at().threads);
    await at().threads.waitForText(/^ {2}▸ What is a superstep\?/m);
    assert.deepEqual(await workbench.notifications.all(), []);
  });

  it('creates, copies, renames and sorts threads', async () => {
    const { workbench } = at();
    await at().haveTwoConversations();
    await at().threads.titleAction('New Thread');
    await at().answerBox('New Thread', 'a draft');
    await at().threads.waitForText(/^▾ Idle · 3\n {2}▸ a draft · /);
    await at().threads.contextMenuItem(['Idle', 'What is a thread?'], 'Copy Thread');
    await at().threads.waitForText(/^▾ Idle · 4/);
    await at().threads.contextMenuItem(['Idle', 'What is a superstep?'], 'Rename Thread…');
    await at().answerBox('Rename Thread', 'supersteps');
    await at().threads.waitForText(/▸ supersteps · /);
    await at().threads.titleAction('Sort Threads…');
    await workbench.quickInput.pick('Created');
    await eventually(
      'the order',
      () => at().threads.text(),
      (text) => text.indexOf('a draft') < text.indexOf('supersteps'),
    );
  });

  it('compares any two states in the diff editor', async () => {
    const { workbench } = at();
    await at().haveTwoConversations();
    await workbench.editors.closeAll();
    await at().threads.expand(['Idle', 'What is a superstep?']);
    await at().threads.click(['Idle', 'What is a superstep?', 'plan']);
    await at().workbench.editors.waitForText('"values": {');
    const judge = await at().threads.row(['Idle', 'What is a superstep?', 'judge']);
    await judge.click({ modifiers: ['Control'] });
    await at().threads.contextMenuItem(['Idle', 'What is a superstep?', 'judge'], 'Compare States');
    await eventually(
      'the diff editor',
      () => workbench.editors.tabs(),
      (tabs) => tabs.some((tab) => tab.startsWith('plan (step 1) ↔ judge (step 3)')),
    );
    await workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    // Values that always differ are left out.
    assert.doesNotMatch(await workbench.editors.text(), /checkpoint_id|created_at/);
    await workbench.screenshot('compare');
    await workbench.editors.closeAll();
    await at().threads.collapse(['Idle', 'What is a superstep?']);
  });

  it('deletes the selected threads together after confirmation', async () => {
    const { workbench } = at();
    const { threads } = at().client;
    await at().haveTwoConversations();
    await threads.create({ body: { metadata: { name: 'a draft' } } });
    await at().look(at().threads);
    await at().threads.waitForText(/▸ a draft · /);
    await at().threads.click(['Idle', 'a draft']);
    const other = await at().threads.row(['Idle', 'What is a superstep?']);
    await other.click({ modifiers: ['Control'] });
    await at().threads.contextMenuItem(['Idle', 'What is a superstep?'], 'Delete Thread…');
    const { detail } = await workbench.dialog.waitFor('Delete 2 threads?');
    assert.deepEqual(detail.split('\n').slice(0, 2).sort(), ['What is a superstep?', 'a draft']);
    await workbench.dialog.press('Cancel');
    assert.equal(await threads.count({ body: {} }), 3);
    await at().threads.contextMenuItem(['Idle', 'What is a superstep?'], 'Delete Thread…');
    await workbench.dialog.press('Delete');
    await at().threads.waitForText(/^▾ Idle · 1\n {2}▸ What is a thread\?[^\n]*$/);
    assert.equal(await threads.count({ body: {} }), 1);
  });

  it('opens the conversation on a click or Enter, and renames, copies and deletes by key', async () => {
    const { workbench } = at();
    const { page } = workbench;
    await workbench.editors.closeAll();
    await at().haveTwoConversations();
    await at().threads.click(['Idle', 'What is a thread?']);
    await eventually(
      'the conversation',
      () => workbench.editors.tabs(),
      (tabs) => tabs.length === 1,
    );
    await (await at().threads.row(['Idle', 'What is a superstep?'])).focus();
    await at().threads.click(['Idle', 'What is a superstep?']);
    await eventually(
      'the other conversation',
      () => workbench.editors.tabs(),
      (tabs) => tabs.length === 2,
    );
    await workbench.runCommand('Agent Harbor: Focus on Threads View');
    await page.keyboard.press('F2');
    await at().answerBox('Rename Thread', 'by key');
    await at().threads.waitForText(/▸ by key · /);
    await workbench.runCommand('Agent Harbor: Focus on Threads View');
    await page.keyboard.press('Delete');
    await workbench.dialog.waitFor('Delete the thread “by key”?');
    await workbench.dialog.press('Cancel');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('Control+c');
    const [named] = await at().client.threads.search({ body: { metadata: { name: 'by key' } } });
    await eventually(
      'the ID on the clipboard',
      () => page.evaluate('navigator.clipboard.readText()'),
      (text) => text === named?.thread_id,
    );
    await workbench.editors.closeAll();
  });
}
