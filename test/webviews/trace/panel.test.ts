import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { TraceEvent } from '../../../src/extension/panels/trace/messages.ts';
import { launchBrowser } from '../../support/browser.ts';
import { PanelPage } from '../../support/panel-page.ts';
import { span } from './span.ts';

describe('the trace panel in a browser', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  it('searches its spans with Ctrl+F, wherever the focus is', async () => {
    const panel = await PanelPage.open<TraceEvent>(browser, 'trace', {
      state: {
        version: 1,
        connection: 'local',
        trace_id: 'agent',
        folded: [],
        query: '',
        only_errors: false,
        split: 0.5,
      },
      answers: {
        ready: { project: 'docs', feedback_keys: [] },
        span: {
          id: 'agent',
          inputs: {},
          outputs: {},
          metadata: {},
          tags: [],
          feedback: [],
          origin: {},
          has_node: false,
        },
        places: { has_thread: false },
      },
    });
    const { page } = panel;
    await panel.send(
      { type: 'spans', spans: [span('agent'), span('plan', 'agent'), span('retrieve', 'agent')] },
      { type: 'loaded' },
    );
    await page.getByRole('row', { name: 'retrieve' }).waitFor();

    await page.keyboard.press('Control+f');
    await page.keyboard.type('plan');
    const field = page.locator('.search input');
    assert.equal(await field.inputValue(), 'plan');

    await page.getByRole('treegrid').focus();
    assert.equal(await field.evaluate(isFocused), false);
    // What was searched before is selected, so that typing replaces it.
    await page.keyboard.press('Control+f');
    await page.keyboard.type('retrieve');
    assert.equal(await field.inputValue(), 'retrieve');
    await page.close();
  });
});

function isFocused(element: { matches(selector: string): boolean }): boolean {
  return element.matches(':focus');
}
