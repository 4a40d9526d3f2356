import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { JournalEntry } from '../../../src/extension/panels/run/journal-entry.ts';
import { launchBrowser } from '../../support/browser.ts';
import { PanelPage } from '../../support/panel-page.ts';
import { runPanelState } from '../../support/run-panel-state.ts';
import { eventually } from '../../support/wait.ts';

const run_id = '11111111-1111-4111-8111-111111111111';
const thread_id = '22222222-2222-4222-8222-222222222222';

const CODE = Array.from({ length: 12 }, (_, at) => `const line${at} = ${'x'.repeat(400)};`).join('\n');
const TABLE = `${'| column '.repeat(40)}|\n${'|---'.repeat(40)}|\n${'| 1 '.repeat(40)}|\n`;

describe('an answer that streams into the run panel', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  let panel: PanelPage<JournalEntry>;
  before(async () => {
    browser = await launchBrowser();
    panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state: runPanelState(thread_id),
      answers: {},
    });
  });
  after(() => browser?.close());

  const start = () =>
    panel.send(
      { type: 'reset', thread_id },
      { type: 'run-started', run_id, thread_id, input: { messages: [{ type: 'human', content: 'Go.' }] } },
    );
  const piece = (content: string, id = 'answer'): JournalEntry => ({
    type: 'stream',
    run_id,
    events: [
      {
        event: 'messages',
        data: [{ type: 'AIMessageChunk', id, content }, { langgraph_node: 'model' }],
      },
    ],
  });
  const thought = (reasoning_content: string, content = ''): JournalEntry => ({
    type: 'stream',
    run_id,
    events: [
      {
        event: 'messages',
        data: [
          { type: 'AIMessageChunk', id: 'thinker', content, additional_kwargs: { reasoning_content } },
          { langgraph_node: 'model' },
        ],
      },
    ],
  });
  const shown = () => panel.page.locator('.answer').last().innerText();
  /** Returns whether an element in the document is still the same one, and how far it is scrolled. */
  const note = (name: string, selector: string) =>
    panel.page.evaluate(
      `globalThis.${name} = document.querySelector(${JSON.stringify(selector)}), undefined`,
    );
  const isNoted = (name: string, selector: string) =>
    panel.page.evaluate(`globalThis.${name} === document.querySelector(${JSON.stringify(selector)})`);

  it('keeps its selection, scrolling and focus while more comes, even in the block that grows', async () => {
    const { page } = panel;
    await start();
    await panel.send(piece(`Some words first.\n\n${TABLE}\n\`\`\`ts\n${CODE}\n`));
    await page.locator('.answer pre').waitFor();
    await note('pre', '.answer pre');
    await note('table', '.answer table');
    const before = await page.evaluate(`{
      const pre = document.querySelector('.answer pre');
      pre.scrollLeft = 120;
      pre.focus();
      document.querySelector('.answer table').scrollLeft = 60;
      getSelection().setBaseAndExtent(pre.firstChild.firstChild, 2, pre.firstChild.firstChild, 900);
      String(getSelection());
    }`);
    for (let at = 0; at < 60; at++) await panel.send(piece(`const more${at} = 1;\n`));
    await panel.send(piece('```\n\nAnd then:\n\n'));
    for (let at = 0; at < 60; at++) await panel.send(piece(`word${at} `));
    await page.getByText('word59').waitFor();
    assert.equal(await page.evaluate('String(getSelection())'), before);
    assert.deepEqual(
      await page.evaluate(`[
        document.querySelector('.answer pre').scrollLeft,
        document.querySelector('.answer table').scrollLeft,
        document.activeElement === globalThis.pre,
      ]`),
      [120, 60, true],
    );
    assert.deepEqual(
      [await isNoted('pre', '.answer pre'), await isNoted('table', '.answer table')],
      [true, true],
    );
    // The elements are also kept when the answer is complete.
    await panel.send({ type: 'run-ended', run_id, outcome: 'success', duration_ms: 1 });
    await page.locator('.answer.copyable').waitFor();
    assert.equal(await page.evaluate('String(getSelection())'), before);
    assert.equal(await isNoted('pre', '.answer pre'), true);
    assert.equal(
      await page
        .locator('.answer pre')
        .innerText()
        .then((text) => text.includes('more59')),
      true,
    );
  });

  it('is up to date after one frame when the page was blocked while thousands of pieces came', async () => {
    const { page } = panel;
    await start();
    await panel.send(piece('Begins.'));
    await page.getByText('Begins.').waitFor();
    const drawn = await page.evaluate(`new Promise((resolve) => {
      // Messages wait while a script runs, as they do while a page is too slow; then they come one by one.
      let messages = 0;
      let frames = 0;
      const said = [];
      const look = () => {
        frames += 1;
        const text = document.querySelector('.answer').textContent;
        if (said.at(-1) !== text) said.push(text);
        if (text.includes('word2999')) resolve({ frames, changes: said.length });
        else requestAnimationFrame(look);
      };
      for (let at = 0; at < 3000; at++) {
        const data = [{ type: 'AIMessageChunk', id: 'answer', content: ' word' + at }, { langgraph_node: 'model' }];
        const entry = { type: 'stream', run_id: '${run_id}', events: [{ event: 'messages', data }] };
        dispatchEvent(new MessageEvent('message', { data: { kind: 'events', events: [entry] } }));
      }
      requestAnimationFrame(look);
    })`);
    const { changes } = drawn as { readonly frames: number; readonly changes: number };
    // There is one drawing of the earlier text, and one of the whole text.
    assert.ok(changes <= 2, `${changes} drawings`);
  });

  it('shows what reaches a page at rest without waiting for a frame', async () => {
    const { page } = panel;
    await start();
    await panel.send(piece('Begins.'));
    await page.getByText('Begins.').waitFor();
    const frames = await page.evaluate(`(async () => {
      // A page is at rest three frames after its last change.
      for (let at = 0; at < 3; at++) await new Promise(requestAnimationFrame);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const request = requestAnimationFrame;
      let frames = 0;
      globalThis.requestAnimationFrame = (call) => request((now) => { frames += 1; call(now); });
      const shown = new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          if (!document.querySelector('.answer').textContent.includes('goes on')) return;
          observer.disconnect();
          resolve(frames);
        }).observe(document.body, { subtree: true, childList: true, characterData: true });
      });
      const entry = ${JSON.stringify(piece(' It goes on.'))};
      dispatchEvent(new MessageEvent('message', { data: { kind: 'events', events: [entry] } }));
      const before = await shown;
      globalThis.requestAnimationFrame = request;
      return before;
    })()`);
    assert.equal(frames, 0);
  });

  it('does not lay out again what is out of sight, which keeps its size and can be found and copied', async () => {
    const { page } = panel;
    await start();
    const paragraph = (at: number) =>
      `${at % 9 === 0 ? '## ' : ''}Paragraph ${at} of ${'words '.repeat(at % 50)}\n\n`;
    await panel.send(piece(Array.from({ length: 160 }, (_, at) => paragraph(at)).join('')));
    await page.getByText('Paragraph 159').waitFor();
    const height = await page.evaluate('document.querySelector(".answer .section").offsetHeight');
    await eventually('what is out of sight to be skipped', async () => {
      await panel.send(piece('And more. '));
      return page.evaluate(`(() => {
        const { firstElementChild } = document.querySelector('.answer .section');
        return !firstElementChild.checkVisibility({ contentVisibilityAuto: true });
      })()`);
    });
    const said = await page.evaluate<string>(`{
      getSelection().selectAllChildren(document.querySelector('.answer .markdown'));
      String(getSelection());
    }`);
    assert.match(said, /^Paragraph 0 of.*Paragraph 1 of.*Paragraph 159 of/s);
    const top = await page.evaluate<[boolean, number]>(`new Promise((resolve) => {
      const first = document.querySelector('.answer .section');
      first.scrollIntoView({ block: 'start' });
      const look = () => {
        const isDrawn = first.firstElementChild.checkVisibility({ contentVisibilityAuto: true });
        if (isDrawn) resolve([isDrawn, first.offsetHeight]);
        else requestAnimationFrame(look);
      };
      look();
    })`);
    assert.deepEqual(top, [true, height]);
  });

  it('is shown as paused, not running, while a debugger holds its process, and afterwards with the length of the pause', async () => {
    const { page } = panel;
    await start();
    const status = page.locator('header .status');
    await status.getByText('Running').waitFor();
    await panel.send({ type: 'paused', at: { file: '/agents/agent.ts', line: 18 } });
    await status.getByText('Paused', { exact: true }).waitFor();
    await page.getByText('Paused at agent.ts:18').waitFor();
    assert.equal((await status.innerText()).trim(), 'Paused');
    await panel.send({ type: 'paused', at: undefined });
    await status.getByText('Running').waitFor();
    await panel.send(
      { type: 'run-ended', run_id, outcome: 'success', duration_ms: 123_000, paused_ms: 120_000 },
      { type: 'run-traced', run_id, duration_ms: 123_400, tokens: 0 },
    );
    await page.getByText('2 min 3 s, paused 2 min 0 s').waitFor();
  });

  it('stands beside others that stream at once, each with the name of its node, even when it is read again', async () => {
    const { page } = panel;
    await start();
    const said = (node: string, content: string): JournalEntry => ({
      type: 'stream',
      run_id,
      events: [
        {
          event: 'messages',
          data: [
            { type: 'AIMessageChunk', id: node, content },
            { langgraph_node: node, langgraph_checkpoint_ns: `${node}:task of ${node}` },
          ],
        },
      ],
    });
    await panel.send(
      said('left', 'One '),
      said('right', 'Uno '),
      said('left', 'two.'),
      said('right', 'dos.'),
    );
    await page.getByText('Uno dos.').waitFor();
    const branches = await page.locator('.branch').all();
    const boxes = await Promise.all(branches.map((branch) => branch.boundingBox()));
    assert.equal(boxes.length, 2);
    assert.equal(boxes[0]?.y, boxes[1]?.y);
    assert.ok((boxes[0]?.x ?? 0) < (boxes[1]?.x ?? 0));
    assert.deepEqual(await page.locator('.node').allInnerTexts(), ['left', 'right']);

    const messages = ['left', 'right'].map((id) => ({ type: 'ai', id, content: `From ${id}.` }));
    await panel.send(
      { type: 'reset', thread_id },
      { type: 'history', values: { messages }, interrupts: [] },
      { type: 'speakers', nodes: { left: 'left', right: 'right' } },
    );
    await page.getByRole('article', { name: 'Agent, node right' }).waitFor();
    assert.deepEqual(await page.locator('.node').allInnerTexts(), ['left', 'right']);
  });

  it('has one cursor where its text ends, also in lists and code', async () => {
    const { page } = panel;
    await start();
    for (const [text, end] of [
      ['Some words', 'Some words'],
      ['.\n\n- an item\n- another one', 'another one'],
      ['\n\nCode:\n\n```ts\nconst a = 1;\nconst b', 'const a = 1;\nconst b'],
      [' = 2;\n```\n\n## At the end', 'At the end'],
    ] as const) {
      await panel.send(piece(text));
      await page.getByText(end.split('\n').at(-1) ?? end).waitFor();
      const ends = await page.evaluate(`[...document.querySelectorAll('.answer *')]
        .filter((element) => getComputedStyle(element, '::after').content === '""')
        .map(({ textContent }) => textContent)`);
      assert.deepEqual(ends, [end]);
    }
  });

  it('names the language of its code', async () => {
    await start();
    await panel.send(piece('```python\nprint(1)\n```\n\nand\n\n```\nplain\n```\n'));
    await panel.page.getByText('plain').waitFor();
    assert.deepEqual(await panel.page.locator('.code-block .language').allInnerTexts(), ['python']);
    assert.match(await shown(), /print\(1\)/);
  });

  it('offers a way back to its end after it was scrolled up, by mouse and by keyboard', async () => {
    const { page } = panel;
    const jump = page.getByRole('button', { name: 'Jump to Latest' });
    const lines = (from: number) => Array.from({ length: 60 }, (_, at) => `Line ${from + at}.\n\n`).join('');
    await start();
    await panel.send(piece(lines(0)));
    await page.getByText('Line 59.').waitFor();
    assert.equal(await jump.count(), 0);
    await page.locator('.timeline').focus();
    await page.keyboard.press('Home');
    await jump.waitFor();
    await panel.send(piece(lines(60)));
    await eventually('the new lines', shown, (text) => text.includes('Line 119.'));
    assert.equal(
      await page.evaluate(`document.querySelector('.timeline').scrollTop`),
      0,
      'the place is kept while more comes',
    );
    await jump.focus();
    await page.keyboard.press('Enter');
    await jump.waitFor({ state: 'detached' });
    await panel.send(piece(lines(120)));
    await eventually('the end', () =>
      page.evaluate(`{
        const { scrollTop, scrollHeight, clientHeight } = document.querySelector('.timeline');
        document.querySelector('.answer').textContent.includes('Line 179.') &&
          scrollTop + clientHeight >= scrollHeight - 2;
      }`),
    );
    assert.equal(await page.evaluate(`document.activeElement === document.querySelector('.timeline')`), true);
  });

  it('shows reasoning as it comes, and folds it when the answer begins', async () => {
    start();
    const thoughts = panel.page.locator('details.thoughts');
    const text = thoughts.locator('.text');
    panel.send(thought('First, '));
    await eventually(
      'the first thought',
      () => thoughts.getAttribute('open'),
      (open) => open !== null,
    );
    assert.match(await thoughts.locator('summary').innerText(), /Thinking…/);
    panel.send(thought('x'.repeat(500)), thought(' the end.'));
    await eventually(
      'the newest thought',
      () => text.innerText(),
      (said) => said.endsWith(' the end.'),
    );
    panel.send(thought('', 'Paris.'));
    await eventually(
      'the folded thoughts',
      () => thoughts.getAttribute('open'),
      (open) => open === null,
    );
    await eventually(
      'how long they took',
      () => thoughts.locator('summary').innerText(),
      (said) => /Thought for \d+(?:\.\d+)? m?s/.test(said),
    );
    // Once the user has opened it, it stays open, whatever arrives.
    await thoughts.locator('summary').click();
    panel.send(piece(' And more.', 'thinker'));
    await eventually('the answer', shown, (said) => said.includes('And more.'));
    assert.notEqual(await thoughts.getAttribute('open'), null);
  });
});
