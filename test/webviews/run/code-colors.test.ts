import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { CodeToColor, ColoredSpan } from '../../../src/extension/code-colors/code-to-color.ts';
import type { JournalEntry } from '../../../src/extension/panels/run/journal-entry.ts';
import { launchBrowser } from '../../support/browser.ts';
import { PanelPage, Refusal } from '../../support/panel-page.ts';
import { runPanelState } from '../../support/run-panel-state.ts';
import { eventually } from '../../support/wait.ts';

const run_id = '11111111-1111-4111-8111-111111111111';
const thread_id = '22222222-2222-4222-8222-222222222222';

/** Plays the extension host: gives each `const` the theme's color for keywords, and each string another color. */
function colorsOf({ text, theme }: CodeToColor): ColoredSpan[] {
  return [...text.matchAll(/const|'[^']*'/g)].map(({ 0: found, index: start }) => {
    const keyword = theme === 'Light' ? '#0000FF' : '#FF0000';
    return { start, end: start + found.length, color: found === 'const' ? keyword : '#00FF00' };
  });
}

/** The texts in each color, according to the highlights of the page. */
const PAINTED = `(() => {
  const code = document.querySelector('.answer pre code');
  const painted = {};
  for (const [name, highlight] of CSS.highlights) {
    const texts = [...highlight].map(({ startContainer, startOffset, endOffset }) =>
      [startContainer, startContainer.data.slice(startOffset, endOffset)]);
    const color = getComputedStyle(code, '::highlight(' + name + ')').color;
    if (texts.length > 0) painted[color] = texts.filter(([node]) => node.isConnected).map(([, text]) => text);
  }
  return painted;
})()`;

describe('code in an answer in the run panel', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  let panel: PanelPage<JournalEntry>;
  /** The requests of the panel, and the host's current way of answering them. */
  const asked: CodeToColor[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  let gate = Promise.resolve();
  let refuses = false;
  before(async () => {
    browser = await launchBrowser();
    panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state: runPanelState(thread_id),
      answers: {
        colorCode: async (code: CodeToColor) => {
          asked.push(code);
          underWay += 1;
          mostUnderWay = Math.max(mostUnderWay, underWay);
          await gate;
          underWay -= 1;
          return refuses ? new Refusal('It cannot be colored.') : colorsOf(code);
        },
      },
    });
  });
  after(() => browser?.close());

  beforeEach(async () => {
    await panel.send({ type: 'reset', thread_id });
    await panel.page.locator('.answer').waitFor({ state: 'detached' });
    asked.length = 0;
    mostUnderWay = 0;
  });

  /** Makes the host hold its answers. @returns a function that releases them */
  function hold(): () => void {
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    return held.resolve;
  }
  const start = () =>
    panel.send({
      type: 'run-started',
      run_id,
      thread_id,
      input: { messages: [{ type: 'human', content: 'Go.' }] },
    });
  const piece = (content: string): Promise<void> =>
    panel.send({
      type: 'stream',
      run_id,
      events: [
        {
          event: 'messages',
          data: [{ type: 'AIMessageChunk', id: 'answer', content }, { langgraph_node: 'model' }],
        },
      ],
    });
  const end = () => panel.send({ type: 'run-ended', run_id, outcome: 'success', duration_ms: 1 });
  const painted = () => panel.page.evaluate<Record<string, string[]>>(PAINTED);
  const paintedAs = (expected: Record<string, readonly string[]>) =>
    eventually(`the colors ${JSON.stringify(expected)}`, painted, (now) => {
      const sorted = (colors: object) => JSON.stringify(Object.entries(colors).toSorted());
      return sorted(now) === sorted(expected);
    });
  const code = () => panel.page.locator('.answer pre code').first();

  it('gets the colors from the host, and stays the same text in the same element', async () => {
    await start();
    await piece("Look:\n\n```ts\nconst a = 'one';\nconst b = 2;\n```\n\nThat was it.");
    await end();
    await paintedAs({ 'rgb(255, 0, 0)': ['const', 'const'], 'rgb(0, 255, 0)': ["'one'"] });
    assert.equal(await code().textContent(), "const a = 'one';\nconst b = 2;");
    assert.equal(await code().locator('*').count(), 0);
    assert.deepEqual([...new Set(asked.map(({ language }) => language))], ['ts']);
    assert.deepEqual(await panel.page.locator('.code-block .language').allInnerTexts(), ['ts']);
  });

  it('is colored with one request at a time, the newest text next, and keeps its colors meanwhile', async () => {
    await start();
    await piece('```ts\nconst first = 1;\n');
    await paintedAs({ 'rgb(255, 0, 0)': ['const'] });
    const release = hold();
    await piece('const second = 2;\n');
    await eventually(
      'the request',
      () => underWay,
      (count) => count === 1,
    );
    const before = asked.length;
    for (let at = 0; at < 20; at++) await piece(`const more${at} = ${at};\n`);
    await eventually(
      'the text',
      () => code().textContent(),
      (text) => /more19 = 19/.test(text ?? ''),
    );
    assert.deepEqual(await painted(), { 'rgb(255, 0, 0)': ['const'] });
    assert.equal(asked.length, before);
    release();
    await paintedAs({ 'rgb(255, 0, 0)': Array.from({ length: 22 }, () => 'const') });
    assert.equal(asked.length, before + 1);
    assert.match(asked.at(-1)?.text ?? '', /more19 = 19/);
    assert.equal(mostUnderWay, 1);
  });

  it('keeps its selection when its colors come, and when they change', async () => {
    const { page } = panel;
    const release = hold();
    await start();
    await piece("```ts\nconst chosen = 'yes';\n```\n\nAnd on.");
    await page.locator('.answer').getByText('And on.').waitFor();
    const selected = await page.evaluate(`{
      const text = document.querySelector('.answer pre code').firstChild;
      getSelection().setBaseAndExtent(text, 3, text, 18);
      String(getSelection());
    }`);
    release();
    await paintedAs({ 'rgb(255, 0, 0)': ['const'], 'rgb(0, 255, 0)': ["'yes'"] });
    assert.equal(await page.evaluate('String(getSelection())'), selected);
    // VS Code does this when the user chooses another theme, in which this theme's colors may be unreadable.
    const recolor = hold();
    await page.evaluate(`document.body.dataset.vscodeThemeId = 'Light'`);
    await paintedAs({});
    recolor();
    await paintedAs({ 'rgb(0, 0, 255)': ['const'], 'rgb(0, 255, 0)': ["'yes'"] });
    assert.equal(await page.evaluate('String(getSelection())'), selected);
    await page.evaluate(`document.body.dataset.vscodeThemeId = 'Dark'`);
    await paintedAs({ 'rgb(255, 0, 0)': ['const'], 'rgb(0, 255, 0)': ["'yes'"] });
  });

  it('is colored only once it is complete if it has more than 200 lines', async () => {
    const lines = Array.from({ length: 230 }, (_, at) => `const line${at} = ${at};\n`).join('');
    await start();
    await piece(`\`\`\`ts\n${lines}`);
    await eventually(
      'the text',
      () => code().textContent(),
      (text) => /line229/.test(text ?? ''),
    );
    assert.deepEqual(asked, []);
    await piece('```\n\nThat is all of it.');
    await paintedAs({ 'rgb(255, 0, 0)': Array.from({ length: 230 }, () => 'const') });
    assert.equal(asked.length, 1);
  });

  it('is plain without a language, and when the host cannot color it, which the panel reports as no problem', async () => {
    refuses = true;
    try {
      await start();
      await piece("```\nconst a = 1;\n```\n\nand\n\n```ts\nconst b = '2';\n```\n\nThe end.");
      await end();
      await eventually('the request', () => asked.length > 0 && underWay === 0);
      await panel.page.locator('.answer').getByText('The end.').waitFor();
      assert.deepEqual(await painted(), {});
      assert.deepEqual(
        asked.map(({ text }) => text),
        ["const b = '2';"],
      );
      assert.equal(await panel.page.getByText('It cannot be colored.').count(), 0);
    } finally {
      refuses = false;
    }
  });
});
