import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { TraceEvent, TraceHead } from '../../../src/extension/panels/trace/messages.ts';
import type { OpenFolder } from '../../../src/extension/panels/webview-rpc.ts';
import { partsOfError } from '../../../src/terms/error-text.ts';
import { launchBrowser } from '../../support/browser.ts';
import { PanelPage } from '../../support/panel-page.ts';
import { recordedErrors } from '../../support/recorded-errors.ts';
import { eventually } from '../../support/wait.ts';
import { span } from './span.ts';

/** Changes a color of the theme a hundred times. Runs in the page, and counts how often the minimap is painted. */
const PAINTS = `new Promise((resolve) => {
  const { getContext } = HTMLCanvasElement.prototype;
  let [changes, paints, frames] = [0, 0, 0];
  HTMLCanvasElement.prototype.getContext = function (...args) {
    paints += 1;
    return getContext.apply(this, args);
  };
  const change = () => {
    changes += 1;
    document.documentElement.style.setProperty('--vscode-editorWarning-foreground', 'rgb(' + changes + ', 0, 0)');
    if (changes < 100) channel.port2.postMessage(null);
  };
  const channel = new MessageChannel();
  channel.port1.onmessage = change;
  const count = () => {
    frames += 1;
    if (changes < 100 || paints === 0) return requestAnimationFrame(count);
    HTMLCanvasElement.prototype.getContext = getContext;
    resolve({ paints, frames });
  };
  requestAnimationFrame(count);
  change();
})`;

describe('the trace panel in a browser', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  /** The trace of an agent whose spans belong to nodes. */
  function openPanel(
    ready: TraceHead,
    outputs: object = {},
    details: object = {},
    folders: readonly OpenFolder[] = [],
  ): Promise<PanelPage<TraceEvent>> {
    return PanelPage.open<TraceEvent>(browser, 'trace', {
      folders,
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
        ready,
        span: {
          id: 'agent',
          inputs: {},
          outputs,
          metadata: {},
          tags: [],
          feedback: [],
          origin: {},
          has_node: true,
          ...details,
        },
        places: { has_thread: false },
      },
    });
  }

  it('searches its spans with Ctrl+F, wherever the focus is', async () => {
    const panel = await openPanel({ project: 'docs', feedback_keys: [] });
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
    // The earlier search is selected, so that typing replaces it.
    await page.keyboard.press('Control+f');
    await page.keyboard.type('retrieve');
    assert.equal(await field.inputValue(), 'retrieve');
    await page.getByRole('treegrid').focus();
    // With Caps Lock, the browser reports the key as `F`.
    await page.keyboard.press('Control+F');
    assert.equal(await field.evaluate(isFocused), true);
    await page.close();
  });

  it('has a splitter that keys move, and that says how it lies and where it is', async () => {
    const panel = await openPanel({ project: 'docs', feedback_keys: [] });
    const { page } = panel;
    await panel.send({ type: 'spans', spans: [span('agent')] }, { type: 'loaded' });
    const splitter = page.getByRole('separator', { name: 'Waterfall size' });
    const read = async () =>
      Promise.all(['aria-orientation', 'aria-valuenow'].map((name) => splitter.getAttribute(name)));
    await page.setViewportSize({ width: 1000, height: 700 });
    await eventually('vertical', async () => (await read()).join() === 'vertical,50');
    await splitter.focus();
    for (const [key, now] of [
      ['ArrowRight', '55'],
      ['ArrowUp', '50'],
      ['Home', '20'],
      ['ArrowLeft', '20'],
      ['End', '80'],
    ] as const) {
      await page.keyboard.press(key);
      await eventually(key, async () => (await read()).join() === `vertical,${now}`);
    }
    await page.setViewportSize({ width: 500, height: 700 });
    await eventually('horizontal', async () => (await read()).join() === 'horizontal,80');
    await page.close();
  });

  it('says which attribute an empty payload lacks and how to get it, and what was inferred', async () => {
    const missing = { attribute: 'gen_ai.output.messages', switch: 'TRACELOOP_TRACE_CONTENT=true' };
    const panel = await openPanel(
      { project: 'docs', feedback_keys: [] },
      {},
      { inputs: { city: 'Paris' }, inputs_inferred: true, missing: { outputs: missing } },
    );
    await panel.send({ type: 'spans', spans: [span('agent')] }, { type: 'loaded' });
    const output = panel.page.getByRole('region', { name: 'Output' });
    await output.getByText('the span has no attribute gen_ai.output.messages').waitFor();
    assert.equal(await output.locator('code').textContent(), missing.switch);
    await panel.page.getByRole('region', { name: 'Input' }).getByText('Inferred from the model').waitFor();
    await panel.page.close();
  });

  it('opens a failed trace at its cause, and one that went well at its root', async () => {
    const attempts = [
      span('search', 'agent', { start: 1100, end: 1500 }),
      span('first try', 'search', { status: 'error', error: 'timeout' }),
    ];
    const failed = await openPanel({ project: 'docs', feedback_keys: [] });
    const error = { status: 'error' as const, error: 'no page 17' };
    await failed.send(
      { type: 'spans', spans: [span('agent', undefined, error), ...attempts, span('list', 'agent', error)] },
      { type: 'loaded' },
    );
    await failed.page.getByRole('row', { name: /^list/, selected: true }).waitFor();
    await failed.page.getByRole('button', { name: '1 error', exact: true }).waitFor();
    await failed.page.getByRole('row', { name: /^first try.*handled/ }).waitFor();
    await failed.page.getByRole('button', { name: '1 handled error' }).click();
    await failed.page.getByRole('row', { name: /^first try/, selected: true }).waitFor();
    await failed.page.close();

    const done = await openPanel({ project: 'docs', feedback_keys: [] });
    await done.send({ type: 'spans', spans: [span('agent'), ...attempts] }, { type: 'loaded' });
    await done.page.getByRole('row', { name: /^agent/, selected: true }).waitFor();
    await done.page.getByRole('button', { name: '1 handled error' }).waitFor();
    assert.equal(await done.page.getByRole('button', { name: '1 error', exact: true }).count(), 0);
    await done.page.close();
  });

  it('goes to the line of the failure with F12, as soon as the span is selected, and by the head of the error', async () => {
    for (const [error, place] of [
      [
        'Error: no page\n    at find (/a/node_modules/x/i.js:1:1)\n    at list (/a/graph.ts:7:9)\n    at run (/a/main.ts:1:1)',
        { file: '/a/graph.ts', line: 7, column: 9 },
      ],
      [
        'KeyError: 1\n\nTraceback (most recent call last):\n  File "/a/main.py", line 1, in run\n  File "/a/graph.py", line 7, in list\n    page[1]\n  File "/usr/lib/python3.12/json/__init__.py", line 3, in load\n',
        { file: '/a/graph.py', line: 7 },
      ],
      ['no page', undefined],
    ] as const) {
      const panel = await openPanel(
        { project: 'docs', feedback_keys: [] },
        {},
        { error, origin: { graph_id: 'g' } },
      );
      const failed = span('agent', undefined, { status: 'error', error: 'no page' });
      await panel.send({ type: 'spans', spans: [failed] }, { type: 'loaded' });
      await panel.page.getByRole('row', { name: 'agent', selected: true }).waitFor();
      await panel.page.keyboard.press('F12');
      const asked = await eventually('a place', () =>
        panel.requests.find(({ method }) => method === (place === undefined ? 'openSource' : 'openFrame')),
      );
      assert.deepEqual(asked.params, place ?? { graph_id: 'g' });
      // The head of the card leads there too, because the frame itself may not be visible.
      const head = panel.page.locator('.failed > .title');
      if (place === undefined) assert.equal(await head.getByRole('button').count(), 0);
      else {
        panel.requests.length = 0;
        await head.getByRole('button', { name: /^graph\.(ts|py):7$/ }).click();
        const clicked = await eventually('the place again', () =>
          panel.requests.find(({ method }) => method === 'openFrame'),
        );
        assert.deepEqual(clicked.params, place);
      }
      await panel.page.close();
    }
  });

  it('shows the whole message of an error above its stack', async () => {
    const recorded = recordedErrors().find(({ way }) => way === 'a message with lines that begin with at');
    const error = recorded?.error ?? '';
    const panel = await openPanel({ project: 'docs', feedback_keys: [] }, {}, { error });
    await panel.send(
      { type: 'spans', spans: [span('agent', undefined, { status: 'error', error: 'no' })] },
      { type: 'loaded' },
    );
    const card = panel.page.getByRole('region', { name: 'Error' });
    const message = card.getByText('Error: The plan cannot be read:');
    await message.waitFor();
    assert.equal(await message.textContent(), partsOfError(error).message);
    assert.doesNotMatch((await card.locator('.stack').textContent()) ?? '', /cannot be read/);
    await panel.page.close();
  });

  it('shows the paths in a stack relative to the open folder, as links that open the files', async () => {
    const error =
      'Error: no\n    at plan (/home/ada/agent/src/graph.ts:12:7)\n    at /home/ada/agent/run.ts:3:1';
    const panel = await openPanel({ project: 'docs', feedback_keys: [] }, {}, { error }, [
      { name: 'agent', path: '/home/ada/agent' },
    ]);
    await panel.send(
      { type: 'spans', spans: [span('agent', undefined, { status: 'error', error: 'no' })] },
      { type: 'loaded' },
    );
    const stack = panel.page.getByRole('region', { name: 'Error' }).locator('.stack');
    await stack.getByRole('button', { name: 'src/graph.ts:12:7' }).click();
    const opened = await eventually('the file', () =>
      panel.requests.find(({ method }) => method === 'openFrame'),
    );
    assert.deepEqual(opened.params, { file: '/home/ada/agent/src/graph.ts', line: 12, column: 7 });
    assert.doesNotMatch((await stack.textContent()) ?? '', /\/home/);
    await panel.page.close();
  });

  it('folds long payloads under heads that stay, with the output of a model first', async () => {
    const long = {
      messages: [{ type: 'ai', content: `The answer.\n\n${'A line of it.\n\n'.repeat(60)}The end.` }],
    };
    const panel = await openPanel({ project: 'docs', feedback_keys: [] }, long);
    const { page } = panel;
    await panel.send(
      { type: 'spans', spans: [span('agent', undefined, { type: 'llm' })] },
      { type: 'loaded' },
    );
    await page.getByRole('row', { name: 'agent' }).click();
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('The answer.').waitFor();
    const titles = await page.locator('.details h3').allInnerTexts();
    assert.deepEqual(titles.slice(0, 2), ['OUTPUT', 'INPUT']);
    const isSeen = async (text: string) => {
      const [outer, inner] = await Promise.all([
        output.locator('.folded, .part-head + div').first().boundingBox(),
        output.getByText(text).boundingBox(),
      ]);
      return outer !== null && inner !== null && inner.y < outer.y + outer.height;
    };
    assert.deepEqual([await isSeen('The answer.'), await isSeen('The end.')], [true, false]);
    await output.getByRole('button', { name: 'Show More of Output' }).click();
    assert.equal(await isSeen('The end.'), true);
    // The head names the payload even at its end.
    await output.getByText('The end.').scrollIntoViewIfNeeded();
    const head = await output.getByRole('heading', { name: 'Output' }).boundingBox();
    const body = await page.locator('.details .body').boundingBox();
    assert.ok(head !== null && body !== null && head.y >= body.y && head.y < body.y + 40);
    await output.getByRole('button', { name: 'Show Less of Output' }).waitFor();
    await page.close();
  });

  it('has an overview of rows that do not fit, which leads to them and keeps the focus in the tree', async () => {
    const panel = await openPanel({ project: 'docs', feedback_keys: [] });
    const { page } = panel;
    const map = page.locator('.minimap');
    const few = Array.from({ length: 5 }, (_, at) => span(`step ${at}`, 'agent'));
    await panel.send({ type: 'spans', spans: [span('agent'), ...few] }, { type: 'loaded' });
    await page.getByRole('row', { name: 'step 4' }).waitFor();
    assert.equal(await map.count(), 0);

    const many = Array.from({ length: 3000 }, (_, at) =>
      span(`step ${at}`, 'agent', at === 1500 ? { status: 'error', error: 'no page' } : {}),
    );
    await panel.send({ type: 'spans', spans: many });
    await map.waitFor();
    const box = await map.boundingBox();
    assert.ok(box !== null);
    const pixel = `(() => {
      const canvas = document.querySelector('.minimap canvas');
      const { data } = canvas.getContext('2d').getImageData(1, Math.round(canvas.height / 2), 1, 1);
      return [...data].join();
    })()`;
    // VS Code passes a theme as CSS variables of the page.
    for (const [color, wanted] of [
      ['#cca700', '204,167,0,255'],
      ['#bf8803', '191,136,3,255'],
    ] as const) {
      await page.evaluate(
        `document.documentElement.style.setProperty('--vscode-editorWarning-foreground', '${color}')`,
      );
      await eventually(`a handled error in ${color}`, async () => (await page.evaluate(pixel)) === wanted);
    }

    const painted = await page.evaluate<{ readonly paints: number; readonly frames: number }>(PAINTS);
    assert.ok(
      painted.paints <= painted.frames,
      `painted ${painted.paints} times in ${painted.frames} frames`,
    );

    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.getByRole('row', { name: 'step 1500' }).click();
    await page.getByRole('row', { name: 'step 1500', selected: true }).waitFor();
    // Dragging starts from the visible part, at any position of the pointer in it.
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 3);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height + 20, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('row', { name: 'step 2999' }).waitFor();
    assert.equal(await page.getByRole('treegrid').evaluate(isFocused), true);
    await page.keyboard.press('Home');
    await page.getByRole('row', { name: 'agent', selected: true }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.getByRole('separator').evaluate(isFocused), true);
    await page.close();
  });

  it('offers to run a node, but not one from a file, which is only read', async () => {
    for (const is_read_only of [false, true]) {
      const panel = await openPanel({ project: '', feedback_keys: [], is_read_only });
      await panel.send({ type: 'spans', spans: [span('agent')] }, { type: 'loaded' });
      const { page } = panel;
      await page.getByRole('row', { name: 'agent' }).click();
      await page.getByRole('button', { name: 'Open as JSON' }).waitFor();
      await page.getByRole('region', { name: 'Input' }).waitFor();
      const offered = await page.getByRole('button', { name: 'Run This Node' }).count();
      assert.equal(offered, is_read_only ? 0 : 1);
      await page.close();
    }
  });

  it('shows what it cannot draw as text, and everything after that', async () => {
    const messages = [
      { type: 'ai', content: `${'> '.repeat(2_000)}x` },
      { type: 'ai', content: '', tool_calls: [{ id: 'c', name: 'faulty', args: {} }] },
      { type: 'ai', content: 'The last word.' },
    ];
    const panel = await openPanel({ project: 'docs', feedback_keys: [] }, { messages });
    const { page } = panel;
    // A bug in the panel, which calls this for each name.
    await page.evaluate(`{
      String.prototype.toWellFormed = function () {
        if (String(this) === 'faulty') throw new TypeError('A fault.');
        return String(this);
      };
    }`);
    await panel.send({ type: 'spans', spans: [span('agent')] }, { type: 'loaded' });
    await page.getByRole('row', { name: 'agent' }).click();
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('The last word.').waitFor();
    const text = await output.innerText();
    assert.ok(text.includes('> '.repeat(100)));
    assert.match(text, /shown as text[\s\S]*"faulty"/);
    await page.getByRole('region', { name: 'Feedback' }).waitFor();
    await page.close();
  });
});

function isFocused(element: { matches(selector: string): boolean }): boolean {
  return element.matches(':focus');
}
