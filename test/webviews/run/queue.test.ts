import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { JournalEntry } from '../../../src/extension/panels/run/journal-entry.ts';
import { textOfInput, withText } from '../../../src/webviews/run/composer/queued-input.ts';
import { launchBrowser } from '../../support/browser.ts';
import { PanelPage, Refusal } from '../../support/panel-page.ts';
import { runPanelState } from '../../support/run-panel-state.ts';
import { eventually } from '../../support/wait.ts';

const run_id = '11111111-1111-4111-8111-111111111111';
const thread_id = '22222222-2222-4222-8222-222222222222';

const inputOf = (content: unknown) => ({ messages: [{ type: 'human', content }] });

describe('messages that wait in the run panel', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  let panel: PanelPage<JournalEntry>;
  let removal: unknown;
  before(async () => {
    browser = await launchBrowser();
    panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state: runPanelState(thread_id),
      answers: {
        removeQueued: () => removal,
        ready: {
          assistant_id: 'agent',
          assistant: 'agent',
          graph_id: 'agent',
          deployment: 'docs',
          place: 'docs · Local',
          is_production: false,
          is_live: true,
          input: 'chat',
          context: {},
          template: '{}',
          stream_modes: ['values'],
          feedback_keys: [],
        },
      },
    });
    await panel.send(
      { type: 'reset', thread_id },
      { type: 'run-started', run_id, thread_id, input: inputOf('Go.') },
    );
    await panel.page.getByRole('combobox', { name: 'While a run is in progress' }).waitFor();
  });
  after(() => browser?.close());
  afterEach(() => {
    panel.requests.length = 0;
  });

  const queue = (...contents: readonly string[]) =>
    panel.send({
      type: 'queue',
      runs: contents.map((content) => ({ run_id: `run ${content}`, input: inputOf(content) })),
    });
  const row = (content: string) => panel.page.getByRole('group', { name: `Queued: ${content}` });
  const asked = (method: string) =>
    eventually(method, () => panel.requests.find((request) => request.method === method)?.params);

  it('are sent with Enter, the way that is chosen beside the field', async () => {
    const { page } = panel;
    const field = page.locator('.composer textarea');
    await field.fill('and another');
    await page.getByText('Enter to queue, Shift+Enter for a new line').waitFor();
    await field.press('Enter');
    assert.match(JSON.stringify(await asked('start')), /and another/);
    await eventually(
      'the field to be free for the next',
      () => field.inputValue(),
      (text) => text === '',
    );
    panel.requests.length = 0;
    await page.getByRole('combobox', { name: 'While a run is in progress' }).selectOption('rollback');
    await page.getByText('Enter to undo the run and send').waitFor();
    await field.fill('instead');
    await field.press('Enter');
    assert.match(JSON.stringify(await asked('start')), /"multitask_strategy":"rollback"/);
    await page.getByRole('combobox', { name: 'While a run is in progress' }).selectOption('enqueue');
  });

  it('are moved, removed and sent with the keyboard, and keep the focus', async () => {
    const { page } = panel;
    await queue('one', 'two', 'three');
    await row('two').focus();
    // A key pressed right after the redraw must not be lost.
    await page.evaluate(`{
      const list = document.querySelector('.queue ol');
      const note = () => list.setAttribute('data-focus-after-redraw', document.activeElement.textContent.trim());
      new MutationObserver(note).observe(list, { childList: true });
    }`);
    await page.keyboard.press('Alt+ArrowDown');
    assert.deepEqual(await asked('moveQueued'), { run_id: 'run two', by: 1 });
    await queue('one', 'three', 'two');
    await page.locator('.queue li:last-child', { hasText: 'two' }).waitFor();
    assert.equal(await page.locator('.queue ol').getAttribute('data-focus-after-redraw'), 'two');
    assert.ok(await page.locator('.queued:focus', { hasText: 'two' }).isVisible());
    await page.keyboard.press('Control+Enter');
    assert.deepEqual(await asked('sendQueued'), { run_id: 'run two', urgency: 'interrupt' });
    await row('one').focus();
    await page.keyboard.press('Delete');
    assert.deepEqual(await asked('removeQueued'), { run_id: 'run one' });
  });

  it('leave the focus where it is after a change that failed', async () => {
    const { page } = panel;
    await queue('one', 'two');
    removal = new Refusal('The run has started.');
    await row('one').focus();
    await page.keyboard.press('Delete');
    await page.getByText('The run has started.').waitFor();
    removal = undefined;
    const field = page.locator('.composer textarea');
    await field.focus();
    await queue('two');
    await row('one').waitFor({ state: 'detached' });
    assert.equal(
      await page.evaluate(`document.activeElement === document.querySelector('.composer textarea')`),
      true,
    );
  });

  it('are edited in place, and the typed text stays when the message is sent meanwhile', async () => {
    const { page } = panel;
    await queue('one', 'two');
    await row('one').getByRole('button', { name: 'Edit' }).click();
    const field = page.getByRole('textbox', { name: 'Queued message' });
    await field.fill('one, in other words');
    await field.press('Enter');
    assert.deepEqual(await asked('editQueued'), { run_id: 'run one', input: inputOf('one, in other words') });
    await queue('one, in other words', 'two');
    // The focus goes back to the list once the first edit is saved.
    await field.waitFor({ state: 'detached' });
    await eventually('the field of the second message', async () => {
      await row('two').focus();
      await page.keyboard.press('Enter');
      return field.isVisible();
    });
    await field.fill('two, and more');
    await queue();
    await page.getByText('This message was sent or removed while you edited it.').waitFor();
    assert.equal(await field.inputValue(), 'two, and more');
    panel.requests.length = 0;
    await page.getByRole('button', { name: 'Send as New Message' }).click();
    assert.match(JSON.stringify(await asked('start')), /two, and more/);
    await field.waitFor({ state: 'detached' });
  });

  it('keep their files when their text is edited; other inputs are edited as JSON', () => {
    const file = { type: 'image', data: 'AA==', mime_type: 'image/png' };
    const input = inputOf([{ type: 'text', text: 'a' }, file]);
    assert.equal(textOfInput(input), 'a');
    assert.deepEqual(withText(input, 'b'), { value: inputOf([{ type: 'text', text: 'b' }, file]) });
    const single = { messages: { role: 'user', content: 'a' } };
    assert.equal(textOfInput(single), 'a');
    assert.deepEqual(withText(single, 'b'), { value: { messages: { role: 'user', content: 'b' } } });
    const form = { topic: 'cranes' };
    assert.deepEqual(withText(form, textOfInput(form)), { value: form });
    assert.ok('problem' in withText(form, '{'));
  });
});
