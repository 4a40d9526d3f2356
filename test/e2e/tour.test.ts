import assert from 'node:assert/strict';
import { exampleFolder } from '../support/example.ts';
import { eventually, patience } from '../support/wait.ts';
import { allThemes } from '../support/workbench/theme.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import { focusedName } from './pages/in-webview.ts';
import { type RunPanelPage, wordsOf } from './pages/run-panel-page.ts';

/** The example cites the passages it answers from. */
const citation = /\[docs\/[\w/-]+\.md#[\w-]+\]$/;

describe('the tour of README', function () {
  this.timeout(180_000);
  let window: HarborWindow;
  let panel: RunPanelPage;

  before(async () => {
    window = await HarborWindow.open({ folder: await exampleFolder('docs-agent') });
  });

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  /** Waits until something in the panel has the focus, by its name. */
  async function focuses(wanted: string): Promise<void> {
    const focused = () => panel.frame.locator('body').evaluate(focusedName);
    await eventually(`${wanted} to have the focus`, focused, (name) => name === wanted);
  }

  it('serves the graphs of the folder as soon as its views are shown', async () => {
    await window.openViews('docs_agent');
    const { workbench } = window;
    const deployments = await workbench.view('Deployments');
    await deployments.waitForText(/^▾ docs-agent · 1 graph\n {2}- docs_agent · Answers questions/);
    const assistants = await workbench.view('Assistants');
    await assistants.waitForText('▸ docs_agent · default · version 1');
    await (await workbench.view('Threads')).waitForWelcome('No threads yet');
    await (await workbench.view('Traces')).waitForWelcome('No traces yet');
    await workbench.waitForStatus('docs-agent');
  });

  it('runs a graph, and shows its tokens before the run ends', async () => {
    await window.deleteThreads();
    panel = await window.newRunPanel('Deployments', ['docs-agent', 'docs_agent']);
    await focuses('Message');
    await panel.send('How do I purge traces?');
    // The answer has grown here; how often it is observed growing later depends on the machine.
    await panel.firstTokens();
    const shown = await panel.answersMeanwhile();
    for (const [index, text] of shown.entries())
      assert.ok(wordsOf(text).startsWith(wordsOf(shown[index - 1] ?? '')), JSON.stringify(shown));
    assert.equal(await panel.outcome(), 'Done');
    await panel.waitForAnswer(citation);
    await panel.waitForSteps('plan', 'retrieved', 'judged', 'judge', 'answer');
    // The panel says the same about the run as Traces.
    const traces = await window.workbench.view('Traces');
    const result = await eventually(
      'what the run took',
      async () => (await panel.frame.locator('.result').last().innerText()).replace(/\s+/g, ' '),
      (text) => / tokens /.test(text),
    );
    const [, took = ''] = /Done ([\d.]+ m?s [\d,]+ tokens) /.exec(result) ?? [];
    await traces.waitForText(new RegExp(` · docs_agent · ${took.replace(/s (?=\d)/, 's · ')} · `), 20_000);
    await window.workbench.screenshotInThemes('run', allThemes);
  });

  it('lists the thread with all its states, each a click away', async () => {
    const threads = await window.workbench.view('Threads');
    await threads.waitForText(/^▾ Idle · 1\n {2}[▸▾] How do I purge traces\? · /);
    await threads.expand(['Idle', 'How do I purge traces?']);
    await threads.waitForText(/- judge · step 3 · next: answer\n {4}- retrieve · step 2 · next: judge/);
    // Traces are named after the text of their input.
    await threads.waitForText(/\n {4}- How do I purge traces\?$/m);
    await threads.click(['Idle', 'How do I purge traces?', 'judge']);
    await window.workbench.editors.waitForText('"values": {');
    await window.workbench.editors.closeAll();
  });

  it('shows the question of an unsure run, and continues with the answer', async () => {
    await window.deleteThreads('interrupted');
    panel = await window.newRunPanel('Assistants', ['docs_agent']);
    await panel.send('Can I purge traces on Mars?');
    await panel.question.waitFor({ timeout: 30_000 * patience });
    assert.equal(await panel.outcome(), 'Waiting for input');
    await panel.question.filter({ hasText: /says nothing about “Mars”/i }).waitFor();
    const threads = await window.workbench.view('Threads');
    await threads.waitForText(/^▾ Waiting · 1\n {2}▸ Can I purge traces on Mars\?/);
    await window.workbench.screenshotInThemes('interrupt');

    await panel.button('Approve').click();
    assert.equal(await panel.outcome(2), 'Done');
    await panel.waitForAnswer(citation);
    await threads.waitForText(/^▾ Idle · \d/);
  });

  it('sends feedback through the link of the run, and the server stores it', async () => {
    const rated = () => panel.frame.locator('.thumb[aria-pressed="true"]');
    if ((await rated().count()) > 0) {
      // An earlier attempt has rated it.
      panel = await window.newRunPanel('Assistants', ['docs_agent']);
      await panel.send('Can I purge traces on Mars?');
      await panel.question.waitFor({ timeout: 30_000 * patience });
      await panel.button('Approve').click();
      await panel.outcome(2);
    }
    const { tracing } = await window.client();
    const scores = async () =>
      (await tracing.feedback.list({ query: { key: ['helpful'] } })).map(({ score }) => score);
    const before = await scores();
    const scored = (...added: readonly number[]) =>
      eventually(`the scores ${added.join()}`, scores, (now) => now.join() === [...added, ...before].join());
    await panel.button('Bad Answer').click();
    await scored(0);
    // Pressing it again clears it, and the other thumb replaces it.
    await panel.button('Bad Answer').click();
    await scored();
    await panel.button('Bad Answer').click();
    await scored(0);
    await panel.button('Good Answer').click();
    await scored(1);
    await rated().waitFor();
    await panel.button('Give Feedback').click();
    await focuses('Comment');
    await window.workbench.page.keyboard.press('Escape');
    await focuses('Give Feedback');
    await panel.comment('Clear, and cited.');
    await panel.frame.getByText('Clear, and cited.').waitFor();
    await panel.correct('{"answer": "Only on Earth."}');
    await panel.frame.getByText('Correction', { exact: true }).waitFor();

    // For a key that was not requested, a link is created.
    await panel.rate('tone', '0.5');
    await panel.frame.getByText('0.5').waitFor();

    const tone = await eventually('the feedback under a key of its own', async () =>
      (await tracing.feedback.list({ query: { key: ['tone'] } })).at(0),
    );
    assert.equal(tone.score, 0.5);
    const given = await tracing.feedback.list({ query: { key: ['helpful'] } });
    assert.deepEqual(
      given
        .slice(0, given.length - before.length)
        .map(({ score, comment, correction }) => ({ score, comment, correction })),
      [{ score: 1, comment: 'Clear, and cited.', correction: { answer: 'Only on Earth.' } }],
    );
  });

  it('finds the trace of the run, with its spans and the feedback on it', async () => {
    const traces = await window.workbench.view('Traces');
    await traces.waitForText(
      /^▾ docs-agent[^\n]*\n {2}[▸▾] ↳ approve · docs_agent · [\d.]+ m?s · \d+ tokens · helpful 1/,
      20_000,
    );
    await traces.expand(['docs-agent', '↳ approve']);
    await traces.waitForText(/ {2}▾ ↳ approve[^\n]*\n {4}- approve · /);
    await traces.waitForText(/ {4}▾ answer · [^\n]*\n {6}- ExtractiveChatModel · /);
    await window.workbench.screenshotInThemes('views');
    await traces.contextMenuItem(
      ['docs-agent', '↳ approve', 'answer', 'ExtractiveChatModel'],
      'Open Inputs and Outputs',
    );
    await window.workbench.editors.waitForText('"run_type": "llm"');
  });

  it('passes the graph a context from a form, for the runs of one panel', async () => {
    panel = await window.newRunPanel('Deployments', ['docs-agent', 'docs_agent']);
    await panel.button('Options').click();
    await panel.frame.getByText('From assistant', { exact: true }).click();
    await panel.frame.getByLabel('max_passages').fill('99');
    await panel.send('What is a thread?');
    await panel.frame.getByText('max_passages: Must be at most 20.').waitFor();
    await panel.frame.locator('[aria-label="Run options"] :focus').fill('2');
    await panel.button('Options').click();
    await panel.send('What is a thread?');
    assert.equal(await panel.outcome(), 'Done');
    const client = await window.agentClient();
    const [thread] = await client.threads.search({
      body: { limit: 1, sort_by: 'created_at', sort_order: 'desc' },
    });
    const [run] = await client.runs.list({ params: { thread_id: thread?.thread_id ?? '' } });
    assert.match(JSON.stringify(run), /"context":\{[^}]*"max_passages":2\b/);
  });

  it('has caused no error on the console', () => {
    assert.deepEqual(window.workbench.problems(), []);
  });
});
