import assert from 'node:assert/strict';
import type { Browser, Locator } from 'playwright-core';
import type { TraceEvent } from '../../../../src/extension/panels/trace/messages.ts';
import { launchBrowser } from '../../../support/browser.ts';
import { PanelPage } from '../../../support/panel-page.ts';
import { span } from '../../trace/span.ts';

/** The number of lines in each cell. Runs in the page. */
const LINES_OF_CELLS = `[...document.querySelectorAll('.markdown th, .markdown td')].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
})`;

/** Runs in the page. */
const BULLETS = `[...document.querySelectorAll('.markdown li')].map((item) => getComputedStyle(item).listStyleType)`;

describe('Markdown in a panel', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  /** Shows the text as an answer in a panel with a width in pixels. */
  async function show(content: string, width: number): Promise<Locator> {
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
          outputs: { messages: [{ type: 'ai', content }] },
          metadata: {},
          tags: [],
          feedback: [],
          origin: {},
          has_node: false,
        },
        places: { has_thread: false },
      },
    });
    await panel.page.setViewportSize({ width, height: 700 });
    await panel.send({ type: 'spans', spans: [span('agent')] }, { type: 'loaded' });
    const text = panel.page.getByRole('region', { name: 'Output' }).locator('.markdown');
    await text.waitFor();
    return text;
  }

  it('scrolls a table that is too wide, without breaking its words and numbers', async () => {
    const titles = ['Ship', 'Tonnes/second', 'Length', 'Berth/hour', 'Captain', 'Harbour', 'Cargo'];
    const text = await show(
      [
        `| ${titles.join(' | ')} |`,
        `|${' --- |'.repeat(titles.length)}`,
        '| Albatross | 1037 | 2048 | 4096 | Bartholomew | Constantinople | grapefruits |',
      ].join('\n'),
      420,
    );
    const lines = await text.page().evaluate(LINES_OF_CELLS);
    assert.deepEqual(
      lines,
      Array.from({ length: 14 }, () => 1),
    );
    const moved = await text.locator('table').evaluate((table: { scrollLeft: number }) => {
      table.scrollLeft = 40;
      return table.scrollLeft;
    });
    assert.equal(moved, 40);
    await text.page().close();
  });

  it('shows which tasks in a list are done', async () => {
    const text = await show('- [x] load\n- [ ] sail\n- rest', 900);
    assert.deepEqual(await text.locator('li').allInnerTexts(), ['☑ load', '☐ sail', 'rest']);
    assert.deepEqual(await text.page().evaluate(BULLETS), ['none', 'none', 'disc']);
    await text.page().close();
  });

  it('draws a border around code in high contrast', async () => {
    const text = await show('```\nconst a = 1;\n```', 900);
    const color = await text.page().evaluate(`{
      document.documentElement.style.setProperty('--vscode-contrastBorder', 'rgb(1, 2, 3)');
      getComputedStyle(document.querySelector('.markdown pre')).borderTopColor;
    }`);
    assert.equal(color, 'rgb(1, 2, 3)');
    await text.page().close();
  });
});
