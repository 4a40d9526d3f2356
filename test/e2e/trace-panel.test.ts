import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { z } from 'zod';
import { exampleFolder } from '../support/example.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newRun, type TestRun } from '../support/traces.ts';
import { eventually, patience } from '../support/wait.ts';
import { look } from './pages/check-appearance.ts';
import { copiesPointed } from './pages/copies-pointed.ts';
import { enterPath } from './pages/enter-path.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import { fitsInWidth } from './pages/in-webview.ts';
import { TracePanelPage } from './pages/trace-panel-page.ts';

/** A fictional agent: two tools fail, and so do the node and the root above one of them. */
function failingTrace(): TestRun[] {
  const at = Date.now() - 60_000;
  const times = (start: number, end: number) => ({
    at: at + start,
    end_time: new Date(at + end).toISOString(),
  });
  const root = newRun({
    name: 'planner',
    session_name: 'made-up',
    ...times(0, 4200),
    error: 'Error: no plan',
  });
  const node = (name: string, start: number, end: number, more = {}) =>
    newRun({ parent: root, name, session_name: 'made-up', ...times(start, end), ...more });
  const research = node('research', 20, 1900);
  const write = node('write', 1900, 4200, { error: 'Error: no plan' });
  return [
    root,
    research,
    newRun({
      parent: research,
      name: 'web_search',
      run_type: 'tool',
      session_name: 'made-up',
      ...times(100, 900),
      error: 'TimeoutError: 800 ms were too few\n    at search (/nowhere/search.ts:3:7)',
    }),
    newRun({
      parent: research,
      name: 'ChatModel',
      run_type: 'llm',
      session_name: 'made-up',
      ...times(950, 1900),
      inputs: {
        messages: [
          [
            { lc: 1, type: 'constructor', id: ['a', 'SystemMessage'], kwargs: { content: 'Be brief.' } },
            { lc: 1, type: 'constructor', id: ['a', 'HumanMessage'], kwargs: { content: 'Which **tide**?' } },
          ],
        ],
      },
      outputs: {
        generations: [
          [
            {
              text: 'High.',
              message: { lc: 1, type: 'constructor', id: ['a', 'AIMessage'], kwargs: { content: 'High.' } },
            },
          ],
        ],
        llm_output: { token_usage: { prompt_tokens: 900, completion_tokens: 42, total_tokens: 942 } },
      },
      extra: { metadata: { usage_metadata: { input_tokens: 900, output_tokens: 42, total_tokens: 942 } } },
    }),
    write,
    newRun({
      parent: write,
      name: 'save_file',
      run_type: 'tool',
      session_name: 'made-up',
      ...times(2000, 4100),
      error: 'Error: no plan',
    }),
  ];
}

describe('the trace panel', function () {
  this.timeout(180_000);
  let window: HarborWindow;
  let panel: TracePanelPage;

  before(async () => {
    window = await HarborWindow.open({
      folder: await exampleFolder('docs-agent'),
      // This build of VS Code lacks the TypeScript language server, and complains about that.
      settings: { 'files.associations': { '*.ts': 'plaintext' } },
    });
    await window.openViews('docs_agent');
  });

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  async function post(runs: readonly TestRun[]): Promise<void> {
    const { tracing } = await window.client();
    for (let at = 0; at < runs.length; at += 2_500)
      await tracing.runs.batch({ body: { post: runs.slice(at, at + 2_500).map((run) => ({ ...run })) } });
  }

  async function openPanel(title: string): Promise<TracePanelPage> {
    const frame = await window.workbench.webview(`Trace: ${title}`);
    return new TracePanelPage(window.workbench.page, frame);
  }

  it('copies the item on which a context menu is opened', async () => {
    const { page } = window.workbench;
    const copies = (pointedAt: Locator, item: string, wanted: string) =>
      copiesPointed(page, pointedAt, item, (text) => text === wanted);
    const run = await window.newRunPanel('Deployments', ['docs-agent', 'docs_agent']);
    await run.send('What is a run?');
    assert.equal(await run.outcome(), 'Done');
    const client = await window.agentClient();
    const [thread] = await client.threads.search({
      body: { limit: 1, sort_by: 'created_at', sort_order: 'desc' },
    });
    const thread_id = thread?.thread_id ?? '';
    const [made] = await client.runs.list({ params: { thread_id } });
    const said = z
      .object({ values: z.object({ messages: z.array(z.object({ content: z.string() })) }) })
      .parse(await client.threads.getState({ params: { thread_id } })).values.messages;
    await copies(run.frame.locator('.answer').last(), 'Copy Message', said.at(-1)?.content ?? '');
    await copies(run.frame.locator('.bubble').last(), 'Copy Message', 'What is a run?');

    await run.button('Show Trace').click();
    const trace = await openPanel('What is a run?');
    await trace.waitForSelected('docs_agent');
    await copies(trace.tree.getByRole('row').first(), 'Copy ID', made?.run_id ?? '');
    const inputs = trace.details.getByRole('region', { name: 'Input' });
    const input = { messages: [{ type: 'human', content: 'What is a run?' }] };
    await copies(inputs, 'Copy JSON', JSON.stringify(input, undefined, 2));
    await window.workbench.editors.closeAll();
  });

  it('opens from a run, with its spans placed in time', async () => {
    const run = await window.newRunPanel('Deployments', ['docs-agent', 'docs_agent']);
    await run.send('How do I purge traces?');
    assert.equal(await run.outcome(), 'Done');
    await run.button('Show Trace').click();
    panel = await openPanel('How do I purge traces?');
    await panel.waitForSelected('docs_agent');
    const rows = await eventually(
      'all spans',
      () => panel.rows(),
      (names) => names.some((name) => /^ +answer$/.test(name)),
    );
    assert.deepEqual(rows.slice(0, 2), ['docs_agent', '  plan']);
    await eventually(
      'the end of the run',
      () => panel.labels(),
      (labels) => /^docs_agent, chain, Done, \d+ tokens, [\d.]+ m?s$/.test(labels[0] ?? ''),
    );
  });

  it('is navigated with the keys of a tree', async () => {
    await panel.press('Home');
    await panel.waitForSelected('docs_agent');
    // Folded by an earlier attempt.
    if ((await panel.rows()).length === 1) await panel.press('ArrowRight');
    await panel.press('ArrowDown');
    await panel.waitForSelected('plan');
    // Its own spans are folded first.
    await panel.press('ArrowLeft', 'ArrowLeft');
    await panel.waitForSelected('docs_agent');
    await panel.press('ArrowLeft');
    await eventually(
      'a folded tree',
      () => panel.rows(),
      (names) => names.length === 1,
    );
    await panel.press('ArrowRight', 'End');
    await eventually(
      'another selection',
      async () => !(await panel.selected.innerText()).includes('docs_agent'),
    );
  });

  it("shows a model's input and output as messages", async () => {
    await panel.press('End');
    await panel.waitForSelected('ExtractiveChatModel');
    await panel.part('Input').getByRole('article', { name: 'Human' }).first().waitFor();
    const output = panel.part('Output');
    const rendered = output.getByRole('button', { name: 'Rendered' });
    // An earlier attempt may have left it as JSON.
    if (await rendered.isVisible()) await rendered.click();
    await output.getByRole('article', { name: 'AI' }).waitFor();
    await output.filter({ hasText: /\[docs\/[\w/-]+\.md#[\w-]+\]/ }).waitFor();
    await output.getByRole('button', { name: 'JSON' }).click();
    await output.getByText('generations').first().waitFor();
    await rendered.click();
    await look(window.workbench, panel.frame, 'trace');
  });

  it('sends feedback on a span, which the server stores, and shows it', async () => {
    await panel.select('answer');
    await panel.giveFeedback('Good', 'Cites its source.', '{"answer": "Tides"}');
    await panel.part('Feedback').getByText('Cites its source.').first().waitFor();
    const { tracing } = await window.client();
    // An earlier attempt may have given some, too.
    const given = await tracing.feedback.list({ query: { source: ['app'], limit: 1 } });
    assert.deepEqual(
      given.map(({ key, score, comment, correction }) => ({ key, score, comment, correction })),
      [{ key: 'helpful', score: 1, comment: 'Cites its source.', correction: { answer: 'Tides' } }],
    );
    await look(window.workbench, panel.frame, 'trace-feedback');
    const entry = panel.part('Feedback');
    await entry.getByRole('button', { name: 'Edit Feedback helpful' }).click();
    await entry.getByRole('textbox', { name: 'Comment' }).fill('Cites two sources.');
    await window.workbench.page.keyboard.press('Enter');
    await entry.getByText('Cites two sources.').waitFor();
    const held = async () =>
      (await tracing.feedback.list({ query: { source: ['app'], run: [given[0]?.run_id ?? ''] } })).map(
        ({ score, comment, correction }) => ({ score, comment, correction }),
      );
    assert.deepEqual(await held(), [
      { score: 1, comment: 'Cites two sources.', correction: { answer: 'Tides' } },
    ]);
    await entry.getByRole('button', { name: 'Delete Feedback helpful' }).click();
    await entry.getByText('None yet').waitFor();
    assert.deepEqual(await held(), []);
    const run = await tracing.runs.get({ params: { run_id: given[0]?.run_id ?? '' } });
    assert.equal(run.name, 'answer');
  });

  it("leads to the node's source and to the thread", async () => {
    const traces = await window.workbench.view('Traces');
    await traces.click(['docs-agent', 'How do I purge traces?']);
    panel = await openPanel('How do I purge traces?');
    await panel.select('answer');
    await panel.frame.getByRole('button', { name: /^Go to Source of answer/ }).click();
    await window.workbench.editors.waitForText('answer');
    await traces.click(['docs-agent', 'How do I purge traces?']);
    panel = await openPanel('How do I purge traces?');
    await panel.frame.getByRole('button', { name: 'Open Thread' }).click();
    const run = await window.runPanel('docs_agent');
    await run.frame.getByText('How do I purge traces?').waitFor();
  });

  it('shows spans that an interrupt ended as paused, not as failed', async () => {
    const run = await window.newRunPanel('Assistants', ['docs_agent']);
    await run.send('Can I purge traces on Mars?');
    await run.question.waitFor({ timeout: 30_000 * patience });
    await run.button('Show Trace').click();
    panel = await openPanel('Can I purge traces on Mars?');
    const labels = await eventually(
      'the paused node',
      () => panel.labels(),
      (all) => all.some((label) => /^approve, .*Waiting for input/.test(label)),
    );
    assert.deepEqual(
      labels.filter((label) => label.includes('Failed')),
      [],
    );
    await panel.select('approve');
    await panel.details.getByText('This span is paused and waiting for input.').waitFor();
    await look(window.workbench, panel.frame, 'trace-paused');
  });

  it('starts at the error that ended the run, and moves from one error to the next', async () => {
    await window.workbench.editors.closeAll();
    await post(failingTrace());
    const traces = await window.workbench.view('Traces');
    await traces.expand(['made-up']);
    await traces.click(['made-up', 'planner']);
    panel = await openPanel('planner');
    await panel.waitForSelected('save_file');
    await panel.frame.getByText('1 handled error', { exact: true }).waitFor();
    await panel.press('F8');
    await panel.waitForSelected('web_search');
    await panel.press('F8');
    await panel.waitForSelected('save_file');
    await panel.press('F8');
    await panel.details.getByText('TimeoutError: 800 ms were too few').first().waitFor();
    await look(window.workbench, panel.frame, 'trace-failed');
    await panel.frame.getByRole('switch', { name: 'Show Only Errors' }).click();
    await eventually(
      'only errors',
      () => panel.rows(),
      (names) => names.length === 5 && !names.some((name) => name.includes('ChatModel')),
    );
    await panel.frame.getByRole('switch', { name: 'Show Only Errors' }).click();
  });

  it('fits into a narrow column', async () => {
    await window.workbench.narrow(async () => {
      await look(window.workbench, panel.frame, 'trace-narrow');
      await eventually('nothing to be scrolled sideways', () =>
        panel.frame.locator('body').evaluate(fitsInWidth),
      );
    });
    await window.workbench.zoomed(async () => {
      await eventually('all of the width', () => panel.frame.locator('body').evaluate(fitsInWidth));
      await panel.details.getByText('TimeoutError: 800 ms were too few').first().scrollIntoViewIfNeeded();
      await window.workbench.screenshot('trace-zoomed');
    });
  });

  it('finds spans by their names', async () => {
    await panel.search('chat');
    await eventually(
      'what was looked for',
      () => panel.rows(),
      (names) => names.join() === 'planner,  research,    ChatModel',
    );
    await panel.search('');
  });

  it('opens at the span whose row is clicked in the Traces view, where the row’s menu opens its inputs and outputs as JSON', async () => {
    const traces = await window.workbench.view('Traces');
    await traces.expand(['made-up', 'planner']);
    await traces.click(['made-up', 'planner', 'research']);
    panel = await openPanel('planner');
    await panel.waitForSelected('research');
    await traces.contextMenuItem(['made-up', 'planner', 'research'], 'Open Inputs and Outputs');
    await window.workbench.editors.waitForText('"name": "research"');
  });

  it('exports its trace to a file, which can be imported unchanged, like that of another program', async () => {
    const { workbench } = window;
    await workbench.editors.closeAll();
    await workbench.notifications.dismissAll();
    const traces = await workbench.view('Traces');
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'planner.json');
    await traces.contextMenuItem(['made-up', 'planner'], 'Export Trace…');
    await enterPath(workbench, 'Export planner', file);
    const Exported = z.object({
      resourceSpans: z.array(
        z.object({ scopeSpans: z.array(z.object({ spans: z.array(z.object({ name: z.string() })) })) }),
      ),
    });
    const { resourceSpans } = await eventually('the file', async () =>
      Exported.parse(JSON.parse(await readFile(file, 'utf8'))),
    );
    const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    assert.deepEqual(new Set(spans.map(({ name }) => name)), new Set(failingTrace().map(({ name }) => name)));
    const recorded = path.resolve(import.meta.dirname, '../fixtures/otlp/recorded/pydantic-ai.json');
    for (const imported of [file, recorded]) {
      await traces.contextMenuItem(['made-up'], 'Import Traces…');
      await enterPath(workbench, 'Import Traces', imported);
      await workbench.notifications.waitFor('Imported a trace.');
      await workbench.notifications.dismissAll();
    }
    const rows = await traces.waitForText(/Weather in Paris\?/);
    assert.equal(rows.match(/▸ planner|▾ planner/g)?.length, 1, 'it is no double');
    await traces.click(['made-up', 'Weather in Paris?']);
    panel = await openPanel('Weather in Paris?');
    await panel.select('chat gpt-4o');
    await panel
      .part('Input')
      .getByRole('article', { name: 'Human' })
      .getByText('Weather in Paris?')
      .waitFor();
    await panel.part('Output').getByRole('article', { name: 'AI' }).getByText('get_weather').waitFor();
    assert.match((await panel.labels()).join('\n'), /^invoke_agent agent, chain, Done, 240 tokens/);
  });

  it('follows a trace in progress', async () => {
    await window.workbench.editors.closeAll();
    const at = Date.now() - 2_000;
    const root = newRun({ name: 'going', session_name: 'made-up', at });
    await post([root]);
    const traces = await window.workbench.view('Traces');
    await traces.click(['made-up', 'going']);
    panel = await openPanel('going');
    await eventually(
      'the running root',
      () => panel.labels(),
      (labels) => labels.join() === 'going, chain, Running',
    );
    await post([newRun({ parent: root, name: 'step', session_name: 'made-up', at: at + 200 })]);
    await eventually(
      'the new span',
      () => panel.rows(),
      (names) => names.join() === 'going,  step',
    );
  });

  it('comes back after a reload, at the span that was selected', async () => {
    await panel.select('step');
    await window.reload();
    panel = await openPanel('going');
    await panel.waitForSelected('step');
  });

  it('opens a trace of 25,000 spans', async () => {
    await window.workbench.editors.closeAll();
    const at = Date.now() - 600_000;
    const runs = [
      newRun({ name: 'big', session_name: 'big', at, end_time: new Date(at + 250_000).toISOString() }),
    ];
    for (let index = 1; index < 25_000; index++) {
      const parent = runs[index < 6 ? 0 : Math.floor((index - 1) / 5)];
      const start = at + index * 10;
      const isModel = index % 3 === 0;
      runs.push(
        newRun({
          ...(parent && { parent }),
          name: isModel ? 'ChatModel' : `step ${index}`,
          run_type: isModel ? 'llm' : 'chain',
          session_name: 'big',
          at: start,
          end_time: new Date(start + 40).toISOString(),
          inputs: { question: `What is ${index}?` },
          outputs: { answer: `It is ${index}.` },
          ...(index === 20_000 && { error: 'Error: there had to be one' }),
        }),
      );
    }
    await post(runs);
    await window.workbench.openViewContainer('Agent Harbor');
    const traces = await window.workbench.view('Traces');
    await traces.expand(['big']);
    const row = await traces.row(['big', 'big'], 60_000);
    const started = performance.now();
    await row.locator('.label-name').first().click();
    const frame = await window.workbench.webview('Trace: big');
    panel = new TracePanelPage(window.workbench.page, frame);
    await frame
      .getByRole('row')
      .first()
      .waitFor({ timeout: 30_000 * patience });
    const first = performance.now() - started;
    await frame.getByText('25,000 spans', { exact: true }).waitFor({ timeout: 30_000 * patience });
    const whole = performance.now() - started;
    console.log(
      `      25,000 spans: first rows after ${Math.round(first)} ms, all after ${Math.round(whole)} ms`,
    );
    // The failure was handled, because the trace succeeded.
    await panel.waitForSelected('big');
    await panel.press('F8');
    await panel.waitForSelected('step 20000');
    assert.ok((await frame.getByRole('row').count()) < 200, 'only rows in sight are in the document');
    await panel.press('End');
    await window.workbench.screenshot('trace-big');
  });

  it('has caused no error on the console', () => {
    assert.deepEqual(window.workbench.problems(), []);
  });
});
