import assert from 'node:assert/strict';
import type { Client } from '../../src/client/client.ts';
import { exampleFolder } from '../support/example.ts';
import { eventually } from '../support/wait.ts';
import { chooseMenuItem } from '../support/workbench/menu.ts';
import type { View } from '../support/workbench/view.ts';
import { HarborWindow } from './pages/harbor-window.ts';

describe('the views', function () {
  this.timeout(180_000);
  let window: HarborWindow;
  let client: Client;
  let assistants: View;
  let threads: View;
  let traces: View;

  before(async () => {
    window = await HarborWindow.open({
      folder: await exampleFolder('docs-agent'),
      // In the browser VS Code saves by itself unless told otherwise.
      settings: {
        'files.autoSave': 'off',
        // What is typed is what is there.
        'editor.autoClosingQuotes': 'never',
        'editor.autoClosingBrackets': 'never',
      },
      // Tall enough for every row.
      size: { width: 1280, height: 1400 },
    });
    await window.openViews('docs_agent');
    client = await window.agentClient();
    assistants = await window.workbench.view('Assistants');
    threads = await window.workbench.view('Threads');
    traces = await window.workbench.view('Traces');
  });

  after(() => window?.close());

  afterEach(async function () {
    await window.workbench.keepEvidence(this.currentTest);
    if (this.currentTest?.state === 'failed') await window.workbench.dismissAll();
  });

  /** Runs the example on a thread of its own, and returns the thread's id. */
  async function ask(question: string, metadata: Record<string, unknown> = {}): Promise<string> {
    const { thread_id } = await client.threads.create({ body: { metadata } });
    await client.runs.wait({
      params: { thread_id },
      body: { assistant_id: 'docs_agent', input: { messages: question }, metadata },
    });
    return thread_id;
  }

  async function editorText(part: string): Promise<string> {
    return eventually(
      `a document with ${part}`,
      () => window.workbench.editors.text(),
      (text) => text.includes(part),
    );
  }

  /** Waits for the line above the rows of a view. */
  async function says(view: View, message: string): Promise<void> {
    await eventually(
      `the message ${message}`,
      () => view.message(),
      (text) => text === message,
    );
  }

  async function answerBox(title: string | RegExp, text: string): Promise<void> {
    await window.workbench.quickInput.waitFor(title);
    await window.workbench.quickInput.type(text);
    await window.workbench.quickInput.accept();
  }

  describe('of assistants', () => {
    it('makes one in a JSON document that the schema of the graph completes and checks', async () => {
      const { workbench } = window;
      const { page } = workbench;
      await assistants.titleAction('New Assistant');
      await answerBox('New assistant of docs_agent', 'brief');
      await editorText('"name": "brief"');
      await eventually('the cursor in the context', async () =>
        (await workbench.statusBar()).some((text) => text.includes('Ln 5, Col 15')),
      );
      await workbench.runCommand('View: Focus Active Editor Group');
      await page.keyboard.press('Control+Space');
      await eventually('a suggestion of the context schema', async () =>
        (await page.locator('.suggest-widget .monaco-list-row').allInnerTexts()).some((text) =>
          text.includes('max_passages'),
        ),
      );
      await workbench.screenshot('assistant');
      assert.equal((await assistants.text()).includes('brief'), false, 'nothing is sent before it is saved');

      await page.keyboard.press('Escape');
      await page.keyboard.insertText('"max_passages": "one"');
      await eventually('what the schema finds wrong', async () =>
        (await workbench.statusBar()).some((text) => /^1 0$|Warnings: 1|^0 1$/.test(text)),
      );
      for (let n = 0; n < '"one"'.length; n++) await page.keyboard.press('Backspace');
      await page.keyboard.type('1');
      await page.keyboard.press('Control+S');
      await assistants.waitForText(/▸ brief · version 1$/m);
      const made = await client.assistants.search({ body: { name: 'brief' } });
      assert.deepEqual(made[0]?.context, { max_passages: 1 });
      await workbench.editors.closeAll();
    });

    it('makes a new version when the document is saved again, and an older one active', async () => {
      const { workbench } = window;
      const { page } = workbench;
      await assistants.inlineAction(['docs_agent', 'brief'], 'Edit Assistant');
      await editorText('"max_passages": 1');
      await workbench.runCommand('View: Focus Active Editor Group');
      await page.keyboard.press('Control+A');
      // At once: suggestions would take part in what is typed.
      await page.keyboard.insertText(
        '{"name": "brief", "description": "In a word", "context": {"max_passages": 2}}',
      );
      // The editor closes by itself what was opened.
      await page.keyboard.press('Control+Shift+End');
      await page.keyboard.press('Delete');
      await page.keyboard.press('Control+S');
      await assistants.waitForText(/▸ brief · version 2$/m);
      await assistants.expand(['docs_agent', 'brief']);
      await assistants.waitForText(/ {4}- Version 2 · active · now\n {4}- Version 1 · now/);
      await assistants.inlineAction(['docs_agent', 'brief', 'Version 1'], 'Make Active');
      await assistants.waitForText(
        / {2}▾ brief · version 1\n {4}- Version 2 · now\n {4}- Version 1 · active/,
      );
      await workbench.editors.closeAll();
      await assistants.click(['docs_agent', 'brief', 'Version 2']);
      await editorText('"description": "In a word"');
      await workbench.editors.closeAll();
    });

    it('deletes one when that is confirmed, and the default one never', async () => {
      const { workbench } = window;
      assert.ok(
        !(await assistants.contextMenu(['docs_agent', 'docs_agent'])).some((item) => /^Delete/.test(item)),
      );
      await assistants.contextMenuItem(['docs_agent', 'brief'], 'Delete Assistant…');
      await workbench.dialog.waitFor('Delete the assistant “brief”?');
      await workbench.dialog.press('Cancel');
      assert.equal((await client.assistants.search({ body: { name: 'brief' } })).length, 1);
      await assistants.contextMenuItem(['docs_agent', 'brief'], 'Delete Assistant…');
      await workbench.dialog.press('Delete');
      await assistants.waitForText(/^▾ docs_agent\n {2}▸ docs_agent · default · version 1$/);
    });
  });

  describe('of threads', () => {
    it('filters by metadata, and says so until the filter is cleared', async () => {
      const { workbench } = window;
      await ask('What is a thread?', { user: 'ada', tier: 2 });
      await ask('What is a superstep?', { user: 'bob' });
      await threads.waitForText(/^▾ Idle · 2/);
      await threads.titleAction('Filter Threads');
      await answerBox('Filter threads by metadata', 'user=ada tier=');
      await eventually(
        'what is wrong with it',
        () => workbench.quickInput.state(),
        (state) => state?.message.includes('“tier=” is no pair') === true,
      );
      await answerBox('Filter threads by metadata', 'user=ada tier=2');
      await threads.waitForText(/^▾ Idle · 1\n {2}▸ What is a thread\? · now$/);
      await says(threads, 'Only threads with user=ada tier=2');
      await workbench.screenshot('threads-filtered');
      await threads.titleAction('Clear Filter');
      await threads.waitForText(/^▾ Idle · 2/);
      await says(threads, '');
    });

    it('makes, copies, renames and sorts them', async () => {
      const { workbench } = window;
      await threads.titleAction('New Thread');
      await answerBox('New thread', 'a draft');
      await threads.waitForText(/^▾ Idle · 3\n {2}▸ a draft · now/);
      await threads.contextMenuItem(['Idle', 'What is a thread?'], 'Copy Thread');
      await threads.waitForText(/^▾ Idle · 4/);
      await threads.contextMenuItem(['Idle', 'What is a superstep?'], 'Rename Thread…');
      await answerBox('Rename thread', 'supersteps');
      await threads.waitForText(/▸ supersteps · now/);
      await threads.titleAction('Sort Threads…');
      await workbench.quickInput.pick('newest first');
      await eventually(
        'the order',
        () => threads.text(),
        (text) => text.indexOf('a draft') < text.indexOf('supersteps'),
      );
    });

    it('compares any two states in the diff editor', async () => {
      const { workbench } = window;
      await threads.expand(['Idle', 'supersteps']);
      await threads.click(['Idle', 'supersteps', 'plan']);
      await editorText('"values": {');
      const judge = await threads.row(['Idle', 'supersteps', 'judge']);
      await judge.click({ modifiers: ['Control'] });
      await threads.contextMenuItem(['Idle', 'supersteps', 'judge'], 'Compare States');
      await eventually(
        'the diff editor',
        () => workbench.editors.tabs(),
        (tabs) => tabs.some((tab) => tab.startsWith('plan (step 1) ↔ judge (step 3)')),
      );
      await workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
      await workbench.screenshot('compare');
      await workbench.editors.closeAll();
      await threads.collapse(['Idle', 'supersteps']);
    });

    it('deletes the selected ones together, when that is confirmed', async () => {
      const { workbench } = window;
      await threads.click(['Idle', 'a draft']);
      const other = await threads.row(['Idle', 'supersteps']);
      await other.click({ modifiers: ['Control'] });
      await threads.contextMenuItem(['Idle', 'supersteps'], 'Delete Thread…');
      await workbench.dialog.waitFor('Delete 2 threads?');
      await workbench.dialog.press('Cancel');
      assert.equal(await client.threads.count({ body: {} }), 4);
      await threads.contextMenuItem(['Idle', 'supersteps'], 'Delete Thread…');
      await workbench.dialog.press('Delete');
      await threads.waitForText(/^▾ Idle · 2/);
      assert.equal(await client.threads.count({ body: {} }), 2);
    });
  });

  describe('of traces', () => {
    it('searches what was said, and filters by metadata and status', async () => {
      const { workbench } = window;
      await traces.waitForText(/ {2}▸ docs_agent[^\n]*\n {2}▸ docs_agent/, 20_000);
      await traces.titleAction('Search Traces');
      await answerBox('Search traces', 'superstep');
      await traces.waitForText(/^▾ docs-agent[^\n]*\n {2}▸ docs_agent[^\n]*$/);
      await says(traces, 'Only traces with “superstep”');
      await traces.titleAction('Filter Traces');
      await workbench.quickInput.pick('Metadata');
      await answerBox('Traces with which metadata?', 'user=ada');
      await traces.waitForText(/^▾ docs-agent[^\n]*\n {2}- {2}· No trace like that\.$/);
      await says(traces, 'Only traces with “superstep” · user=ada');
      await workbench.screenshot('traces-filtered');
      await traces.titleAction('Clear Filter');
      await traces.waitForText(/ {2}▸ docs_agent[^\n]*\n {2}▸ docs_agent/);
    });
  });

  describe('purge', () => {
    async function traceCount(): Promise<number> {
      const sessions = await client.tracing.sessions.list({ query: { name: 'docs-agent' } });
      const session = sessions.map(({ id }) => id);
      const { runs } = await client.tracing.runs.query({ body: { session, is_root: true } });
      return runs.length;
    }

    /** Up to where the name of the project is asked for. */
    async function purgeTraceOf(user: string): Promise<void> {
      const { quickInput } = window.workbench;
      await traces.contextMenuItem(['docs-agent'], 'Purge Traces…');
      await quickInput.pick('Traces with metadata…');
      await answerBox('Purge traces with which metadata?', `user=${user}`);
      await quickInput.pick('Purge 1 trace…');
    }

    it('shows first what would go, and leaves it on every way out', async () => {
      const { workbench } = window;
      const { quickInput } = workbench;
      await traces.contextMenuItem(['docs-agent'], 'Purge Traces…');
      await quickInput.waitFor('Purge which traces of docs-agent?');
      await quickInput.pick('Traces with metadata…');
      await answerBox('Purge traces with which metadata?', 'user=ada user_id=nobody');
      const { items } = await quickInput.waitFor('Purge traces (1/2): what would go');
      assert.equal(items[0]?.label, 'Purge 1 trace…');
      assert.equal(items[0]?.description, 'user=ada user_id=nobody · docs-agent');
      assert.match(items[0]?.detail ?? '', /^\d+ runs · 0 feedback entries · [\d.]+ (KB|bytes)$/);
      assert.equal(items.at(-1)?.label, 'docs_agent');
      await workbench.screenshot('purge-preview');
      await quickInput.cancel();

      await purgeTraceOf('ada');
      await quickInput.waitFor(/^Purge traces \(2\/2\)/);
      await quickInput.type('docs-agend');
      await eventually(
        'what is wrong with it',
        () => quickInput.state(),
        (state) => state?.message === 'That is not docs-agent.',
      );
      await workbench.screenshot('purge-confirm');
      await quickInput.cancel();
      assert.equal(await traceCount(), 2);
    });

    it('purges for good what was named, and verifies it', async () => {
      const { workbench } = window;
      await purgeTraceOf('ada');
      await answerBox(/^Purge traces \(2\/2\): 1 trace, for good/, 'docs-agent');
      await workbench.notifications.waitFor(
        'Purged 1 trace, and verified that nothing of it is left.',
        30_000,
      );
      assert.equal(await traceCount(), 1);
      await traces.waitForText(/^▾ docs-agent[^\n]*\n {2}▸ docs_agent[^\n]*$/);
      const [job] = await client.purging.listJobs();
      assert.deepEqual([job?.kind, job?.status, job?.deleted], ['metadata', 'verified', 1]);
      await workbench.notifications.dismissAll();
    });

    it('purges the selected traces', async () => {
      const { workbench } = window;
      await ask('What is a run?');
      await ask('What is a checkpoint?');
      await traces.waitForText(/(\n {2}▸ docs_agent[^\n]*){3}$/, 20_000);
      const rows = traces.locator.locator('.monaco-list-row').filter({ hasText: 'docs_agent' });
      await rows.nth(0).click({ modifiers: ['Control'] });
      await rows.nth(1).click({ modifiers: ['Control'], button: 'left' });
      await rows.nth(1).click({ button: 'right' });
      await chooseMenuItem(workbench.page, 'Purge Traces…');
      await workbench.quickInput.pick('Purge 2 traces…');
      await answerBox(/^Purge traces \(2\/2\): 2 traces, for good/, 'docs-agent');
      await workbench.notifications.waitFor(
        'Purged 2 traces, and verified that nothing of them is left.',
        30_000,
      );
      assert.equal(await traceCount(), 1);
      await workbench.dismissAll();
    });

    it('shows and changes how long traces are kept', async () => {
      const { workbench } = window;
      await traces.contextMenuItem(['docs-agent'], 'Retention of Traces…');
      const { items } = await workbench.quickInput.waitFor('How long are new traces of docs-agent kept?');
      assert.deepEqual(
        items.map(({ label, description }) => `${label} · ${description}`),
        ["Base: 14 days · now, as the workspace's standard", 'Extended: 400 days · '],
      );
      await workbench.quickInput.pick('Extended: 400 days');
      await eventually('the project', async () => {
        const [project] = await client.tracing.sessions.list({ query: { name: 'docs-agent' } });
        return project?.trace_tier === 'longlived';
      });
      await workbench.runCommand('Agent Harbor: Retention of Traces…');
      await workbench.quickInput.pick('Base retention');
      await answerBox('How many days?', '7');
      await eventually('the workspace', async () => {
        const [settings] = await client.purging.listTtl();
        return settings?.shortlived_ttl_days === 7;
      });
    });
  });

  it('has caused no error on the console', () => {
    assert.deepEqual(window.workbench.problems(), []);
  });
});
