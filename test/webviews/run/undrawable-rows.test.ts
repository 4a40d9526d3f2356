import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { z } from 'zod';
import type { JournalEntry } from '../../../src/extension/panels/run/journal-entry.ts';
import { launchBrowser } from '../../support/browser.ts';
import { PanelPage } from '../../support/panel-page.ts';
import { runPanelState } from '../../support/run-panel-state.ts';

const run_id = '11111111-1111-4111-8111-111111111111';
const thread_id = '22222222-2222-4222-8222-222222222222';

describe('an answer that cannot be drawn as intended', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  let panel: PanelPage<JournalEntry>;
  let times = 0;
  before(async () => {
    browser = await launchBrowser();
    panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state: runPanelState(thread_id),
      answers: {},
    });
    // Only rows in sight are in the document.
    await panel.page.setViewportSize({ width: 1_200, height: 12_000 });
  });
  after(() => browser?.close());

  /** Shows a thread with this between two messages. @returns the full text of the page */
  async function shown(answer: object): Promise<string> {
    const last = `Behind it, time ${++times}.`;
    await panel.send(
      { type: 'reset', thread_id },
      {
        type: 'history',
        values: {
          messages: [
            { type: 'human', id: 'first', content: 'Before it.' },
            { type: 'ai', id: 'answer', ...answer },
            { type: 'human', id: 'last', content: last },
          ],
        },
        interrupts: [],
        next: [],
        checkpoint_id: run_id,
      },
    );
    await panel.page.getByText(last).waitFor();
    await panel.page.getByText('Before it.').waitFor();
    return panel.page.locator('.output').innerText();
  }

  for (const [what, mark] of [
    ['quotes in quotes', '> '],
    ['lists in lists', '- '],
    ['numbered lists in numbered lists', '1. '],
    ['quotes in lists', '- > '],
  ] as const) {
    it(`is text when it is ${what}, and the messages around it are shown`, async () => {
      const text = await shown({ content: `${mark.repeat(2_000)}x` });
      assert.ok(text.includes(mark.repeat(100)));
    });
  }

  it('is a list as deep as it can be', async () => {
    const depths = Array.from({ length: 90 }, (_, at) => `${'  '.repeat(at)}- at ${at}`);
    await shown({ content: depths.join('\n') });
    assert.equal(await panel.page.locator('.markdown ul ul ul').last().innerText(), 'at 89');
  });

  it('is shown when it is nothing but marks, however many', async () => {
    const text = await shown({ content: `${'_a'.repeat(20_000)} end **of** it` });
    assert.match(text, /_a_a_a/);
  });

  it('is still Markdown with as many marks as prose has', async () => {
    await shown({ content: `${'*so* '.repeat(500)}\n\n> a *quoted* word` });
    assert.equal(await panel.page.locator('.markdown em').count(), 501);
    assert.equal(await panel.page.locator('.markdown blockquote em').innerText(), 'quoted');
  });

  it('is text when drawing it fails, until it changes, and the log of the extension says why', async () => {
    const call = (name: string) => ({ content: 'It searches.', tool_calls: [{ id: 'c', name, args: {} }] });
    // A bug in the panel: its rows call this for each name.
    await panel.page.evaluate(`{
      const { toWellFormed } = String.prototype;
      String.prototype.toWellFormed = function () {
        if (String(this) === 'faulty') throw new TypeError('A fault.');
        return toWellFormed.call(this);
      };
    }`);
    const text = await shown(call('faulty'));
    assert.match(text, /could not be displayed, so it is shown as text[\s\S]*"It searches\."[\s\S]*"faulty"/);
    assert.doesNotMatch(await shown(call('search')), /could not be displayed/);
    const [logged] = panel.requests.filter(({ method }) => method === 'logError');
    const error = z.object({ message: z.string(), stack: z.string() }).parse(logged?.params);
    assert.equal(error.message, 'TypeError: A fault.');
    assert.match(error.stack, /^TypeError: A fault\.\n +at .*toWellFormed/);
  });
});
