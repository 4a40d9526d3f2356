import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import type { JournalEntry } from '../../../src/extension/panels/run/journal-entry.ts';
import type { Session } from '../../../src/extension/panels/run/messages.ts';
import { launchBrowser } from '../../support/browser.ts';
import { PanelPage, Refusal } from '../../support/panel-page.ts';
import { runPanelState } from '../../support/run-panel-state.ts';
import { eventually } from '../../support/wait.ts';

const run_id = '11111111-1111-4111-8111-111111111111';
const thread_id = '22222222-2222-4222-8222-222222222222';

const session: Session = {
  assistant_id: 'agent',
  assistant: 'agent',
  graph_id: 'agent',
  deployment: 'docs',
  place: 'docs · Local',
  is_production: false,
  is_live: true,
  input: 'chat',
  schema: undefined,
  is_schema_late: false,
  context_schema: undefined,
  context: {},
  template: '{}',
  diagram: undefined,
  stream_modes: ['values', 'messages-tuple', 'updates', 'custom'],
  feedback_keys: [],
};
const state = runPanelState(thread_id);
const answers = { ready: session, visit: true };

interface Box {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

/** Holds back what the page's resize observers are told until it is released, like a slow machine. */
const HOLD_MEASURING = `{
  const held = [];
  let isHeld = true;
  const { observe } = ResizeObserver.prototype;
  ResizeObserver.prototype.observe = function (...given) {
    if (isHeld) held.push(() => observe.apply(this, given));
    else observe.apply(this, given);
  };
  globalThis.releaseMeasuring = () => {
    isHeld = false;
    for (const start of held) start();
  };
}`;

const COLORS = {
  '--vscode-errorForeground': '#ff0000',
  '--vscode-problemsErrorIcon-foreground': '#ee0000',
  '--vscode-problemsWarningIcon-foreground': '#ffaa00',
  '--vscode-editorWarning-foreground': '#ffbb00',
  '--vscode-descriptionForeground': '#777777',
} as const;

/** The color of the first element that a selector finds. */
function colorOf({ page }: PanelPage<JournalEntry>, selector: string): Promise<unknown> {
  return page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).color`);
}

describe('the run panel in a browser', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  it('offers to step into the next node even if it learns late that the graphs are those of the folder', async () => {
    const { promise, resolve } = Promise.withResolvers<Session>();
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers: { ready: promise } });
    await panel.send(
      { type: 'reset', thread_id },
      { type: 'history', values: {}, interrupts: [], next: ['publish'], checkpoint_id: run_id },
    );
    const stopped = panel.page.getByRole('article', { name: 'Stopped' });
    await stopped.waitFor();
    assert.equal(await stopped.getByText('Step Into Next Node').count(), 0);
    resolve(session);
    await stopped.getByText('Step Into Next Node').waitFor();
    await panel.page.close();
  });

  it('takes messages once the graph has loaded, and keeps JSON that was typed before that', async () => {
    const unloaded: Session = { ...session, input: 'json' };
    for (const typed of ['', '{"messages": []}']) {
      const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
        state: { ...state, draft: typed },
        answers: { ready: unloaded, session },
      });
      const { page } = panel;
      await panel.send({ type: 'reset', thread_id });
      const json = page.getByRole('textbox', { name: 'Input as JSON' });
      await json.waitFor();
      await panel.send({ type: 'session-changed' });
      await page.getByRole('button', { name: typed === '' ? 'Chat' : 'JSON', pressed: true }).waitFor();
      if (typed !== '') assert.equal(await json.inputValue(), typed);
      await page.close();
    }
  });

  it('keeps what is typed and attached while a message is being sent', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const file = { name: 'notes.txt', mime: 'text/plain', data: 'bm90ZXM=' };
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state,
      answers: { ready: session, start: promise, chooseFiles: { files: [file], problems: [] } },
    });
    const { page } = panel;
    await panel.send({ type: 'reset', thread_id });
    const field = page.locator('.composer textarea');
    await field.fill('first');
    await field.press('Enter');
    await eventually('the run', () => panel.requests.some(({ method }) => method === 'start'));
    await field.fill('second');
    await page.getByRole('button', { name: 'Attach Files' }).click();
    await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
    resolve(undefined);
    await panel.send({ type: 'run-started', run_id, thread_id });
    await page.getByRole('combobox', { name: 'While a run is in progress' }).waitFor();
    assert.equal(await field.inputValue(), 'second');
    assert.equal(await page.getByRole('button', { name: 'Remove notes.txt' }).count(), 1);
    await page.close();
  });

  it('clears a sent message even if another request fails meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state,
      answers: { ready: session, start: promise, chooseFiles: new Refusal('The file is too large.') },
    });
    const { page } = panel;
    await panel.send({ type: 'reset', thread_id });
    const field = page.locator('.composer textarea');
    await field.fill('first');
    await field.press('Enter');
    await eventually('the run', () => panel.requests.some(({ method }) => method === 'start'));
    await page.getByRole('button', { name: 'Attach Files' }).click();
    await page.getByText('The file is too large.').waitFor();
    resolve(undefined);
    await eventually(
      'the field to be empty',
      () => field.inputValue(),
      (text) => text === '',
    );
    await page.close();
  });

  it('attaches the pasted files that can be, and names the others', async () => {
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers });
    const { page } = panel;
    await panel.send({ type: 'reset', thread_id });
    await page.locator('.composer textarea').waitFor();
    await page.evaluate(`{
      const read = FileReader.prototype.readAsDataURL;
      FileReader.prototype.readAsDataURL = function (file) {
        if (file.name === 'gone.txt') setTimeout(() => this.onerror());
        else read.call(this, file);
      };
      const files = new DataTransfer();
      files.items.add(new File([new Uint8Array(10_000_001)], 'film.mp4', { type: 'video/mp4' }));
      files.items.add(new File(['gone'], 'gone.txt', { type: 'text/plain' }));
      files.items.add(new File(['kept'], 'kept.txt', { type: 'text/plain' }));
      document.querySelector('.composer textarea')
        .dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, bubbles: true }));
    }`);
    await page.getByRole('button', { name: 'Remove kept.txt' }).waitFor();
    await page
      .getByText('film.mp4 is too large. Attach files of up to 10 MB. gone.txt could not be read.')
      .waitFor();
    assert.equal(await page.getByRole('button', { name: /^Remove / }).count(), 1);
    await page.close();
  });

  it('attaches the chosen files that can be, and names the others', async () => {
    const file = { name: 'notes.txt', mime: 'text/plain', data: 'bm90ZXM=' };
    const chosen = { files: [file], problems: ['film.mp4 is too large.', 'b.mp4 is too large.'] };
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state,
      answers: { ...answers, chooseFiles: chosen },
    });
    const { page } = panel;
    await panel.send({ type: 'reset', thread_id });
    await page.getByRole('button', { name: 'Attach Files' }).click();
    await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
    await page.getByText('film.mp4 is too large. b.mp4 is too large.').waitFor();
    await page.close();
  });

  it('says that a pasted file cannot be read', async () => {
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers });
    const { page } = panel;
    await panel.send({ type: 'reset', thread_id });
    await page.locator('.composer textarea').waitFor();
    await page.evaluate(`{
      FileReader.prototype.readAsDataURL = function () {
        setTimeout(() => this.onerror());
      };
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['a'], 'gone.png', { type: 'image/png' }));
      document.querySelector('.composer textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }`);
    await page.getByText('gone.png could not be read.').waitFor();
    await page.close();
  });

  describe('when a run asks a question', () => {
    const input = { messages: [{ type: 'human', content: 'Purge it.' }] };
    const asks: readonly JournalEntry[] = [
      {
        type: 'stream',
        run_id,
        events: [
          {
            event: 'updates',
            data: { __interrupt__: [{ id: 'q', value: { question: 'Purge?', options: ['Yes', 'No'] } }] },
          },
        ],
      },
      { type: 'run-ended', run_id, outcome: 'interrupted', duration_ms: 12 },
    ];
    let panel: PanelPage<JournalEntry>;
    beforeEach(async () => {
      panel = await PanelPage.open(browser, 'run', { state, answers });
      await panel.page.locator('.composer textarea').focus();
      await panel.send({ type: 'reset', thread_id }, { type: 'run-started', run_id, thread_id, input });
    });
    afterEach(() => panel.page.close());

    it('moves the focus from the empty input to the question, and back once it is answered', async () => {
      await panel.send(...asks);
      await panel.page.locator('article.waiting vscode-button:focus').first().waitFor();
      await panel.page.keyboard.press('Enter');
      const resumed = await eventually('the answer', () =>
        panel.requests.find(({ method }) => method === 'resume'),
      );
      assert.equal(JSON.stringify(resumed.params).includes('Yes'), true);
      await panel.page.locator('.composer textarea:focus').waitFor();
    });

    it('moves the focus even if the row of the question is measured late', async () => {
      await panel.page.evaluate(HOLD_MEASURING);
      await panel.send(...asks);
      const button = panel.page.locator('article.waiting vscode-button').first();
      await button.waitFor({ state: 'attached' });
      // Preact waits less than this for a frame before it runs effects.
      await panel.page.waitForTimeout(200);
      assert.equal(await button.isVisible(), false, 'the list hides what it has not measured');
      await panel.page.evaluate('releaseMeasuring()');
      await panel.page.locator('article.waiting vscode-button:focus').first().waitFor();
    });

    it('keeps the answers to several questions until all are given, and lets them be changed', async () => {
      const { page } = panel;
      const several = ['Which pier?', 'Which crane?', 'How many?'].map((value, index) => ({
        id: `q${index}`,
        value: index < 2 ? value : { question: value },
      }));
      const [stream, end] = asks;
      assert.ok(stream?.type === 'stream' && end !== undefined);
      await panel.send({ ...stream, events: [{ event: 'updates', data: { __interrupt__: several } }] }, end);
      await page.getByText('1 of 3', { exact: true }).waitFor();
      await page.locator('.question.asks textarea:focus').waitFor();
      await page.keyboard.type('42');
      await page.getByRole('button', { name: 'Save Answer (1 of 3)' }).click();
      await page
        .getByText('Answer saved. All answers are sent once you’ve answered all 3 requests.')
        .waitFor();
      // The next one has the focus.
      await page.locator('form:has(textarea:focus)', { hasText: 'Save Answer (2 of 3)' }).waitFor();
      await page.keyboard.type('true');
      await page.getByRole('button', { name: 'Save Answer (2 of 3)' }).click();
      await page.getByRole('button', { name: 'Change' }).first().click();
      // Until the first question is shown again, the first field is that of the third question.
      await page.getByRole('button', { name: 'Save Answer (1 of 3)' }).waitFor();
      await page.getByRole('textbox', { name: 'Response' }).first().fill('43');
      await page.getByRole('button', { name: 'Save Answer (1 of 3)' }).click();
      assert.equal(
        panel.requests.some(({ method }) => method === 'resume'),
        false,
      );
      await page.getByRole('button', { name: 'Save Answer (1 of 3)' }).waitFor({ state: 'detached' });
      await page.getByRole('textbox', { name: 'Response' }).fill('7');
      await page.getByRole('button', { name: 'Resume', exact: true }).click();
      const resumed = await eventually('the answers', () =>
        panel.requests.find(({ method }) => method === 'resume'),
      );
      assert.match(JSON.stringify(resumed.params), /\{"q0":"43","q1":"true","q2":7\}/);
    });

    it('accepts, declines and opens what an MCP server asks for, after showing the host', async () => {
      const { page } = panel;
      const [stream, end] = asks;
      assert.ok(stream?.type === 'stream' && end !== undefined);
      const value = {
        type: 'mcp_elicitation',
        tool_name: 'paint',
        requests: [
          {
            key: 'a',
            mode: 'form',
            message: 'Which color?',
            requested_schema: {
              type: 'object',
              properties: { color: { type: 'string', default: 'red' } },
            },
          },
          { key: 'b', mode: 'url', message: 'Connect?', url: 'https://example.com/connect?to=paint' },
          { key: 'c', mode: 'url', message: 'Run?', url: 'https://user:key@evil.example/' },
        ],
      };
      await panel.send(
        { ...stream, events: [{ event: 'updates', data: { __interrupt__: [{ id: 'q', value }] } }] },
        end,
      );
      await page.getByText('Which color?').waitFor();
      await page.getByRole('button', { name: 'Save Answer (1 of 3)' }).click();
      await page.getByText('example.com', { exact: true }).waitFor();
      await page.getByText('not a web page').waitFor();
      await page.getByRole('button', { name: 'Open in Browser…' }).click();
      await eventually('the page to be visited', () =>
        panel.requests.some(
          ({ method, params }) =>
            method === 'visit' && JSON.stringify(params).includes('example.com/connect'),
        ),
      );
      // The address with credentials is not offered; opening the other one is the answer.
      await eventually(
        'one question to be left',
        () => page.locator('.question.asks').count(),
        (count) => count === 1,
      );
      assert.equal(await page.getByRole('button', { name: 'Open in Browser…' }).count(), 0);
      await page.getByRole('button', { name: 'Decline' }).click();
      const resumed = await eventually('the answers', () =>
        panel.requests.find(({ method }) => method === 'resume'),
      );
      assert.deepEqual(JSON.parse(JSON.stringify(resumed.params)).resume, {
        responses: {
          a: { action: 'accept', content: { color: 'red' } },
          b: { action: 'accept' },
          c: { action: 'decline' },
        },
      });
    });

    it('leaves the focus in an input with text', async () => {
      await panel.page.keyboard.type('And then');
      await panel.send(...asks);
      await panel.page.locator('article.waiting vscode-button').first().waitFor();
      await panel.page.keyboard.type(' stop.');
      assert.equal(await panel.page.locator('.composer textarea').inputValue(), 'And then stop.');
    });
  });

  it('says where it runs, with a warning for a production deployment', async () => {
    const headerOf = async (shown: Session) => {
      const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
        state,
        answers: { ready: shown },
        colors: COLORS,
      });
      const place = panel.page.locator('header .place');
      const text = await place.textContent();
      const color = await colorOf(panel, 'header .place');
      await panel.page.close();
      return { text, color };
    };
    const local = await headerOf(session);
    const remote = await headerOf({ ...session, place: 'docs · agents.example.com', is_production: true });
    assert.equal(local.text, 'docs · Local');
    assert.equal(remote.text, 'docs · agents.example.com · Production');
    assert.notEqual(remote.color, local.color);
  });

  it('keeps the line breaks in a context, sends fields that it does not show, and leads to errors', async () => {
    const context = { prompt: 'Be brief.\nBe kind.', rate: null, hidden: [1] };
    const context_schema = {
      required: ['prompt', 'rate', 'city'],
      properties: {
        prompt: { type: 'string', langgraph_nodes: ['model'] },
        rate: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }], default: null },
        city: { type: 'string' },
        modes: { type: 'array', items: { enum: ['fast', 'deep'] } },
      },
    };
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state: { ...state, draft: 'Hello', shows_options: true },
      answers: { ready: { ...session, context_schema, context } },
    });
    const { page } = panel;
    await page.getByText('From assistant', { exact: true }).click();
    const prompt = page.getByRole('textbox', { name: /^prompt/ });
    assert.equal(await prompt.inputValue(), 'Be brief.\nBe kind.');
    await prompt.press('End');
    await prompt.pressSequentially(' Now!');
    await page.getByLabel('deep').check();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').getByText('city: Required').waitFor();
    // The focus is at the error.
    await page.keyboard.type('Genoa');
    await page.getByRole('button', { name: 'Send' }).click();
    const sent = await eventually(
      'the run',
      async () => panel.requests.find(({ method }) => method === 'start'),
      (request) => request !== undefined,
    );
    assert.deepEqual(Object(sent?.params).options.context, {
      prompt: 'Be brief.\nBe kind. Now!',
      rate: null,
      hidden: [1],
      city: 'Genoa',
      modes: ['deep'],
    });
    await page.close();
  });

  it('offers to sign in when signed out, and opens the agent afterwards', async () => {
    const given: Record<string, unknown> = {
      ready: new Refusal('You are signed out of Staging.', 'Sign In'),
    };
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers: given });
    const { page } = panel;
    await page.getByText('You are signed out of Staging.').waitFor();
    given.ready = session;
    await page.getByRole('button', { name: 'Sign In' }).click();
    await page.getByRole('textbox', { name: /message/i }).waitFor();
    const acted = panel.requests.find(({ method }) => method === 'act');
    const failed = panel.requests.find(({ method }) => method === 'ready');
    assert.deepEqual(acted?.params, { failure: failed?.id, action: 0 });
    assert.equal(await page.getByText('You are signed out of Staging.').count(), 0);
    await page.close();
  });

  it('says which tools are running, until they have a result or the run has ended', async () => {
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers, colors: COLORS });
    const run_id = '11111111-1111-4111-8111-111111111111';
    const input = { messages: [{ type: 'human', content: 'Go.' }] };
    const update = (node: string, ...messages: readonly object[]): JournalEntry => ({
      type: 'stream',
      run_id,
      events: [{ event: 'updates', data: { [node]: { messages } } }],
    });
    const tool_calls = ['quick', 'slow'].map((name) => ({ name, args: {}, id: name, type: 'tool_call' }));
    const running = async (...names: readonly string[]) => {
      const rows = panel.page.locator('details.tool', { hasText: 'running…' });
      await eventually(`${names} to be running`, async () => {
        const shown = await rows.locator('.name').allInnerTexts();
        return shown.join() === names.join();
      });
    };
    await panel.send({ type: 'reset', thread_id }, { type: 'run-started', run_id, thread_id, input });
    await panel.send(update('agent', { type: 'ai', id: 'a', content: '', tool_calls }));
    await running('quick', 'slow');
    await panel.send(
      update('tools', { type: 'tool', id: 'b', name: 'quick', tool_call_id: 'quick', content: 'done' }),
    );
    await running('slow');
    await panel.send({ type: 'run-ended', run_id, outcome: 'interrupted', duration_ms: 1 });
    await running();
    // The same is true when the next run starts.
    await panel.send({ type: 'run-started', run_id: thread_id, thread_id, input });
    await panel.page.locator('header .status').getByText('Running').waitFor();
    await running();
    await panel.page.close();
  });

  it('marks a failed tool call as an error, and no other', async () => {
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers, colors: COLORS });
    const tool_calls = ['works', 'fails'].map((name) => ({ name, args: {}, id: name, type: 'tool_call' }));
    const messages = [
      { type: 'ai', id: 'a', content: '', tool_calls },
      { type: 'tool', id: 'b', name: 'works', tool_call_id: 'works', content: 'done', status: 'success' },
      { type: 'tool', id: 'c', name: 'fails', tool_call_id: 'fails', content: 'no pier 17', status: 'error' },
    ];
    await panel.send(
      { type: 'reset', thread_id },
      { type: 'history', values: { messages }, interrupts: [], next: [] },
    );
    const row = (name: string) => panel.page.locator('details.tool', { hasText: name });
    await row('fails').waitFor();
    // The reason is read without unfolding it.
    await row('fails').locator('summary').getByText('no pier 17').waitFor();
    const look = async (name: string, is: 'done' | 'failed') => [
      await row(name).locator('.codicon-error').count(),
      await colorOf(panel, `details.tool.${is} > summary .codicon`),
    ];
    const [works, fails] = [await look('works', 'done'), await look('fails', 'failed')];
    assert.deepEqual([works[0], fails[0]], [0, 1]);
    assert.notEqual(fails[1], works[1]);
    await panel.page.close();
  });

  describe('an option that is typed', () => {
    let panel: PanelPage<JournalEntry>;
    const field = (name: string) => panel.page.getByRole('textbox', { name, exact: true });
    const saved = async () => {
      const { options } = await panel.state();
      return options;
    };
    const leave = () => panel.page.keyboard.press('Tab');

    before(async () => {
      panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers });
      await panel.page.getByRole('button', { name: 'Options' }).click();
      await panel.page.getByText('Advanced', { exact: true }).click();
    });
    after(() => panel?.page.close());

    it('stays as it is typed until the field is left, whatever happens in the panel meanwhile', async () => {
      await field('tags').click();
      for (const key of 'a, b') {
        await panel.page.keyboard.press(key);
        // This draws the panel again.
        await panel.send({ type: 'reset', thread_id });
      }
      assert.equal(await field('tags').inputValue(), 'a, b');
      await leave();
      await eventually('the tags', async () => JSON.stringify(await saved()).includes('"tags":["a","b"]'));
    });

    for (const [name, text, problem] of [
      ['recursion_limit', '2.5', 'Enter a whole number of at least 1.'],
      ['metadata', '[1]', 'Enter a JSON object.'],
      ['Feedback keys', 'k'.repeat(181), 'A key must have at most 180 characters.'],
    ] as const)
      it(`stays with what is wrong with it, and is not used: ${name}`, async () => {
        const before = await saved();
        await field(name).fill(text);
        await panel.send({ type: 'reset', thread_id });
        assert.equal(await panel.page.getByText(problem).count(), 0);
        await leave();
        await panel.page.getByText(problem).waitFor();
        await panel.send({ type: 'reset', thread_id });
        assert.equal(await field(name).inputValue(), text);
        assert.equal(await field(name).getAttribute('aria-invalid'), 'true');
        assert.deepEqual(await saved(), before);
        await field(name).fill('');
        await leave();
        await panel.page.getByText(problem).waitFor({ state: 'detached' });
      });
  });

  it('marks where a text is cut: of the user, a model, another role, or an error', async () => {
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers });
    const long = 'x'.repeat(40_000);
    const messages = ['system', 'human', 'ai'].map((type) => ({
      ...{ type, id: type, content: type === 'ai' ? 'Done.' : long },
      ...(type === 'ai' && { additional_kwargs: { reasoning_content: long } }),
    }));
    // Only rows in sight are in the document.
    await panel.page.setViewportSize({ width: 1_200, height: 20_000 });
    await panel.send(
      { type: 'reset', thread_id },
      { type: 'history', values: { messages }, interrupts: [], next: [] },
      { type: 'run-started', run_id, thread_id },
      { type: 'stream', run_id, events: [{ event: 'error', data: { error: 'Error', message: long } }] },
    );
    for (const text of [
      'details.line:not(.thoughts) > .text',
      '.bubble',
      '.thoughts > .text',
      '.failed > .text',
    ]) {
      const shown = await panel.page.locator(text).textContent();
      assert.match(shown ?? '', /^x{10000}(?:x{20000})?…$/, text);
    }
    await panel.page.close();
  });

  it('leads from the head of an error to the line that failed, until that cannot be opened', async () => {
    const stack =
      'Error: No page.\n    at look (/docs/src/graph.ts:7:9)\n    at run (/docs/node_modules/@langchain/langgraph/dist/run.js:1:1)';
    let isRefused = false;
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state,
      answers: {
        ...answers,
        errorStack: stack,
        openFrame: () =>
          isRefused ? new Refusal('/docs/src/graph.ts is not in the open folder.') : undefined,
      },
    });
    await panel.send(
      { type: 'run-started', run_id, thread_id },
      { type: 'stream', run_id, events: [{ event: 'error', data: { error: 'Error', message: 'No page.' } }] },
    );
    const card = panel.page.getByRole('article', { name: 'Error' });
    const link = card.locator('.title').getByRole('button', { name: 'graph.ts:7' });
    const opened = () => panel.requests.filter(({ method }) => method === 'openFrame');
    await link.click();
    await eventually('the place', () => opened().length === 1);
    assert.deepEqual(opened()[0]?.params, { file: '/docs/src/graph.ts', line: 7, column: 9 });
    assert.equal(await link.getAttribute('title'), 'Go to /docs/src/graph.ts:7');
    isRefused = true;
    await link.click();
    await panel.page.getByText('/docs/src/graph.ts is not in the open folder.').waitFor();
    await link.waitFor({ state: 'detached' });
    await panel.page.close();
  });

  it('says that the input schema is late until the session is read again', async () => {
    const late: Session = { ...session, input: 'json', is_schema_late: true };
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state,
      answers: { ...answers, ready: late, session },
    });
    await panel.send({ type: 'reset', thread_id });
    const note = panel.page.getByRole('status').filter({ hasText: 'has not sent the input schema yet' });
    await note.waitFor();
    await panel.send({ type: 'session-changed' });
    await note.waitFor({ state: 'detached' });
    await panel.page.close();
  });

  it('leads from a run that its cost cap has ended to the setting for the cap', async () => {
    const stack = 'AbortError: This operation was aborted\n    at abort (node:internal/abort:1:1)';
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state,
      answers: { ...answers, errorStack: stack },
    });
    const message = 'The run was ended before another model call.';
    await panel.send(
      { type: 'run-started', run_id, thread_id },
      { type: 'stream', run_id, events: [{ event: 'error', data: { error: 'CostCapReached', message } }] },
    );
    const card = panel.page.getByRole('article', { name: 'Error' });
    await card.getByText('Cost cap reached').waitFor();
    await card.getByText(message).waitFor();
    await card.getByRole('button', { name: 'Change Cost Cap' }).click();
    await eventually('the setting', () => panel.requests.some(({ method }) => method === 'changeCostCap'));
    assert.equal(
      panel.requests.some(({ method }) => method === 'errorStack'),
      false,
      'no place is at fault',
    );
    await panel.page.close();
  });

  it('shows a conversation at the place that it was scrolled to before its tab was left', async () => {
    const messages = Array.from({ length: 60 }, (_, n) => ({
      type: n % 2 === 0 ? 'human' : 'ai',
      id: `m${n}`,
      content: `message ${n}\n\nsecond line\n\nthird line`,
    }));
    const journal: readonly JournalEntry[] = [
      { type: 'reset', thread_id },
      { type: 'history', values: { messages }, interrupts: [], next: [] },
    ];
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers });
    const { page } = panel;
    const box = page.locator('.timeline');
    const message = (n: number) => box.getByText(`message ${n}`, { exact: true });
    const placeOf = async () => (await message(5).boundingBox())?.y;
    await panel.send(...journal);
    await message(59).waitFor();
    assert.equal(await message(5).count(), 0);
    assert.equal((await panel.state()).scroll, undefined);

    await box.focus();
    await page.keyboard.press('Home');
    await eventually('the start to be kept', async () => (await panel.state()).scroll);
    await box.evaluate((element: Box) => {
      element.scrollTop = 250;
    });
    await eventually(
      'the place to be kept',
      async () => (await panel.state()).scroll as { readonly index: number },
      ({ index }) => index > 0,
    );
    const before = await placeOf();
    assert.ok(before);

    await panel.reload();
    await panel.send(...journal);
    await message(5).waitFor();
    await eventually('the same place', placeOf, (top) => Math.abs(top - before) <= 2);
    const isAtEnd = await box.evaluate(
      ({ scrollTop, scrollHeight, clientHeight }: Box) => scrollTop + clientHeight >= scrollHeight - 2,
    );
    assert.equal(isAtEnd, false);
    await page.close();
  });

  it('returns the focus to the option or link that was chosen when the answer is canceled', async () => {
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', { state, answers });
    const { page } = panel;
    const resume = { decision: 'edit', question: 'Why?' };
    const value = {
      allowed: [
        { decision: 'approve', resume: {} },
        { decision: 'edit', resume },
      ],
    };
    await panel.send(
      { type: 'reset', thread_id },
      { type: 'history', values: {}, interrupts: [{ id: run_id, value }], next: ['ask'] },
    );
    const focused = () => page.evaluate('document.activeElement.textContent.trim()');
    for (const chosen of ['Write a Response…', 'Edit…', 'Write a Response…']) {
      await page.getByText(chosen, { exact: true }).click();
      await page.getByText('Cancel', { exact: true }).click();
      await eventually('the focus', focused, (text) => text === chosen);
    }
    await page.close();
  });

  it('edits the state of another step in another editor', async () => {
    const [older, newer] = ['step 3', 'step 5'];
    const entry = { source: 'loop', nodes: ['ask'], next: [], waits: false };
    const entries = [
      { ...entry, checkpoint_id: newer, parent_id: older, step: 5 },
      { ...entry, checkpoint_id: older, parent_id: undefined, step: 3 },
    ];
    const late = Promise.withResolvers<unknown>();
    const stateToEdit = ({ checkpoint_id }: { readonly checkpoint_id: string }) => {
      const read = { checkpoint_id, values: { from: checkpoint_id }, nodes: ['ask'] };
      return checkpoint_id === older ? late.promise.then(() => read) : read;
    };
    const history = { keys: [], entries, current: newer, recorded: [] };
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state: { ...state, side: 'history' },
      answers: { ready: session, history, stateToEdit },
    });
    const { page } = panel;
    const shown = () => page.getByLabel('State as JSON').inputValue();
    await panel.send({ type: 'reset', thread_id }, { type: 'history', values: {}, interrupts: [], next: [] });
    await page.getByLabel('Edit State of Step 3').click();
    await page.getByLabel('Edit State of Step 5').click();
    await eventually('the newer state', shown, (text) => text.includes(newer));
    late.resolve(undefined);
    // The answer is sent first.
    await setImmediate();
    await page.evaluate('new Promise(requestAnimationFrame)');
    assert.match(await shown(), /step 5/);
    await page.close();
  });

  it('shows which nodes use a checkbox, and a value that it cannot show', async () => {
    const used = { langgraph_nodes: ['ask'] };
    const context_schema = {
      type: 'object',
      required: ['odd'],
      properties: {
        rush: { type: 'boolean', ...used },
        odd: { type: 'boolean', ...used },
      },
    };
    const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state: { ...state, shows_options: true },
      answers: { ready: { ...session, context_schema, context: { odd: 'maybe', rush: false } } },
    });
    const { page } = panel;
    await page.getByText('From assistant', { exact: true }).click();
    await page.getByLabel('rush').waitFor();
    assert.equal(await page.locator('.schema-form .nodes').count(), 2);
    const undecided = page.locator('input:indeterminate');
    assert.equal(await undecided.and(page.getByLabel('odd')).count(), 1);
    assert.equal(await undecided.and(page.getByLabel('rush')).count(), 0);
    await page.close();
  });

  for (const [theme, scheme] of [
    ['vscode-dark', 'dark'],
    ['vscode-high-contrast', 'dark'],
    ['vscode-light', 'light'],
  ] as const)
    it(`draws the checkboxes of a ${theme.slice('vscode-'.length)} theme ${scheme}, in the theme’s color`, async () => {
      const { page } = await PanelPage.open(browser, 'run', {
        state: { ...state, shows_options: true },
        answers,
        theme,
        colors: { '--vscode-focusBorder': 'rgb(0, 120, 212)' },
      });
      const checkbox = page.getByRole('checkbox').first();
      await checkbox.waitFor();
      const styles = await checkbox.evaluate(stylesOf);
      assert.deepEqual(styles, { colorScheme: scheme, accentColor: 'rgb(0, 120, 212)' });
      await page.close();
    });
});

/** Runs in the page. */
function stylesOf(element: unknown): { colorScheme: string; accentColor: string } {
  const { getComputedStyle } = globalThis as unknown as {
    getComputedStyle(of: unknown): { colorScheme: string; accentColor: string };
  };
  const { colorScheme, accentColor } = getComputedStyle(element);
  return { colorScheme, accentColor };
}
