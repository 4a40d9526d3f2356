import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { findDataset } from '../../src/client/find-dataset.ts';
import { cli } from '../support/cli.ts';
import { dataFolder } from '../support/data-folder.ts';
import {
  CAPITALS,
  datasetText,
  type EvaluatedProject,
  evaluatedProject,
} from '../support/evaluated-project.ts';
import { type ModelOrigin, modelOrigin } from '../support/model-origin.ts';
import { eventually, patience } from '../support/wait.ts';
import { type HarborWindow, SharedVsCode } from './pages/harbor-window.ts';
import { nameNewDataset, TestingPage } from './pages/testing-page.ts';

const DATASET = 'evals/basics.dataset.jsonl';
const HELLO = { inputs: { question: 'hello' }, outputs: { answer: 'HELLO' } };
const BYE = { inputs: { question: 'bye' }, outputs: { answer: 'BYE!' } };
/** The line in which the graph answers. */
const LINE = 4;
const SHOUTING = CAPITALS.replace('toUpperCase()', "toUpperCase() + (question === 'bye' ? '!' : '')");

const vscode = new SharedVsCode();
after(() => vscode.close());

describe('the Testing view', function () {
  this.timeout(180_000);
  let project: EvaluatedProject;
  let window: HarborWindow;
  let tests: TestingPage;

  before(async () => {
    project = await evaluatedProject({
      [DATASET]: datasetText({ dataset: { pass: { steps: null } } }, HELLO, BYE),
    });
    window = await vscode.open({ folder: project.folder });
    await window.openViews('agent');
    tests = new TestingPage(window.workbench);
    await tests.open();
    await tests.expand('basics');
  });
  after(async () => {
    await window?.close();
    await project?.[Symbol.asyncDispose]();
  });
  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  /** Changes the graph, and waits until it gives this answer. */
  async function load(code: string, answer: string): Promise<void> {
    await project.write({ 'agent.mjs': code });
    const client = await window.client();
    const { deployment_url } = await client.harbor.openFolder({ body: { config_path: project.config } });
    const { runs } = client.withDeployment(deployment_url);
    await eventually(
      'the graph is loaded again',
      () => runs.waitStateless({ body: { assistant_id: 'agent', input: { question: 'bye' } } }),
      (values) => Object(values).answer === answer,
      30_000,
    );
  }

  it('shows why an example fails, with its scores and its trace', async () => {
    const { workbench } = window;
    await tests.press('basics', 'Run Test');
    await tests.shows(/^hello.*correct 1, steps 1.*: passed/m, /^bye.*correct 0, steps 1.*: failed/m);
    await workbench.screenshotInThemes('testing');
    // VS Code may expose a new label to screen readers only when it next builds the row.
    assert.match(await tests.spoken('bye'), /^bye\b.* \(Failed\)/);
    await tests.showDifference(/correct: false/);
    const { expected, actual } = await tests.difference();
    assert.deepEqual(
      [expected, actual].map((text) => JSON.parse(text)),
      [{ answer: 'BYE!' }, { answer: 'BYE' }],
    );
    await workbench.screenshotInThemes('testing-difference');
    await tests.press('bye', 'Open Trace');
    await workbench.webview('Trace: bye');
  });

  it('passes after a click, and fails again in a continuous run', async () => {
    await load(SHOUTING, 'BYE!');
    await tests.press('basics', 'Run Test');
    await tests.shows(/^hello.*: passed/m, /^bye.*: passed/m);
    await tests.press('basics', 'Turn on Continuous Run');
    await tests.offers('basics', 'Turn off Continuous Run');
    await project.write({ 'agent.mjs': CAPITALS });
    await tests.shows(/^hello.*: passed/m, /^bye.*: failed/m);
    await project.write({
      [DATASET]: datasetText({ dataset: { pass: { steps: null } } }, HELLO, {
        ...BYE,
        outputs: { answer: 'BYE' },
      }),
    });
    await tests.shows(/^bye.*: passed/m);
    await tests.press('basics', 'Turn off Continuous Run');
  });

  it('gets a test from the thread of a recorded run, with everything that it needs to run again', async () => {
    const { workbench } = window;
    const { threads, runs } = await window.agentClient();
    const { thread_id } = await threads.create({ body: {} });
    const body = { assistant_id: 'agent', input: { question: 'again' }, record: true };
    await runs.wait({ params: { thread_id }, body });
    await workbench.openViewContainer('Agent Harbor');
    const view = await workbench.view('Threads');
    await view.waitForText(/▸ again · agent/);
    await view.contextMenuItem(['Idle', 'again'], 'Make It a Test…');
    await nameNewDataset(workbench, 'made');
    await workbench.dialog.waitFor('Save this run as a file?');
    await workbench.dialog.press('Save');
    const folder = path.join(project.folder, 'evals');
    const line = await eventually('the dataset', async () =>
      JSON.parse(await readFile(path.join(folder, 'made.dataset.jsonl'), 'utf8')),
    );
    assert.deepEqual([line.inputs, line.outputs.answer], [{ question: 'again' }, 'AGAIN']);
    assert.deepEqual(
      [line.cassette],
      (await readdir(path.join(folder, 'cassettes'))).map((name) => `cassettes/${name}`),
    );
    await tests.open();
    await tests.expand('made');
    await tests.press('made', 'Run Test');
    await tests.shows(/^again · correct 1, steps 1.*: /m);
    await workbench.screenshot('testing-made');
  });

  it('gets a test from the run in the run panel, and from a trace', async () => {
    const { workbench } = window;
    const fileOf = (name: string) => path.join(project.folder, 'evals', `${name}.dataset.jsonl`);
    const readLine = (name: string) =>
      eventually('the dataset', async () => JSON.parse(await readFile(fileOf(name), 'utf8')));
    // Rows of an earlier attempt.
    for (const name of ['traced', 'shown']) await rm(fileOf(name), { force: true });
    await window.deleteThreads();
    const { threads, runs } = await window.agentClient();
    const { thread_id } = await threads.create({ body: {} });
    const body = { assistant_id: 'agent', input: { question: 'seen' } };
    await runs.wait({ params: { thread_id }, body });
    const expected = [{ question: 'seen' }, 'SEEN', undefined];
    await workbench.openViewContainer('Agent Harbor');
    const traces = await workbench.view('Traces');
    await traces.expand([path.basename(project.folder)]);
    await traces.waitForText(/▸ seen/);
    await traces.contextMenuItem([path.basename(project.folder), 'seen'], 'Make It a Test…');
    await nameNewDataset(workbench, 'traced');
    const traced = await readLine('traced');
    assert.deepEqual([traced.inputs, traced.outputs.answer, traced.cassette], expected);

    await (await workbench.view('Threads')).click(['Idle', 'seen']);
    await workbench.webview('agent');
    await workbench.runCommand('Agent Harbor: Make It a Test…');
    await nameNewDataset(workbench, 'shown');
    const shown = await readLine('shown');
    assert.deepEqual([shown.inputs, shown.outputs.answer, shown.cassette], expected);
  });

  it('stops at a breakpoint of the graph, fails and passes again there, and ends the debugger', async () => {
    const { page, editors } = window.workbench;
    await project.write({ [DATASET]: datasetText({ dataset: { pass: { steps: null } } }, HELLO, BYE) });
    await editors.open('agent.mjs');
    await editors.goTo(LINE);
    await page.keyboard.press('F9');
    try {
      for (const [code, answer, state] of [
        [CAPITALS, 'BYE', 'failed'],
        [SHOUTING, 'BYE!', 'passed'],
      ] as const) {
        await load(code, answer);
        await tests.open();
        await tests.press('bye', 'Debug Test');
        const held = page.locator('.debug-top-stack-frame-line').first();
        await held.waitFor({ timeout: 60_000 * patience });
        await window.workbench.screenshot(`testing-debugged-${state}`);
        await page.keyboard.press('F5');
        await page.locator('.debug-toolbar').waitFor({ state: 'hidden', timeout: 30_000 * patience });
        await tests.open();
        await tests.shows(new RegExp(`^bye.*: ${state}`, 'm'));
      }
    } finally {
      await window.workbench.runCommand('Remove All Breakpoints');
    }
  });
});

const LIMITED = `import { writeFileSync } from 'node:fs';
import { AIMessage } from '@langchain/core/messages';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { Annotation, StateGraph } from '@langchain/langgraph';
class Model extends BaseChatModel {
  _llmType() { return 'counted'; }
  async _generate() {
    const usage_metadata = { input_tokens: 60, output_tokens: 40, total_tokens: 100 };
    return { generations: [{ text: 'ok', message: new AIMessage({ content: 'ok', usage_metadata }) }] };
  }
}
const model = new Model({});
const asked = new Map();
const State = Annotation.Root({ question: Annotation, answer: Annotation });
async function reply({ question }, { signal }) {
  const times = (asked.get(question) ?? 0) + 1;
  asked.set(question, times);
  if (question.startsWith('wait')) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    writeFileSync(new URL('ended.txt', import.meta.url), question);
  }
  if (question.startsWith('spend')) await model.invoke(question);
  return { answer: question + times };
}
export const graph = new StateGraph(State).addNode('reply', reply).addEdge('__start__', 'reply').compile();
`;

/** An example that passes when it is run for the nth time. */
const nth = (question: string, times: number) => ({
  inputs: { question },
  outputs: { answer: `${question}${times}` },
});

describe('runs in the Testing view', function () {
  this.timeout(180_000);
  let project: EvaluatedProject;
  let window: HarborWindow;
  let tests: TestingPage;

  before(async () => {
    const pass = { steps: null };
    project = await evaluatedProject({
      'agent.mjs': LIMITED,
      'evals/coin.dataset.jsonl': datasetText(
        { dataset: { pass: { ...pass, correct: 1 }, repetitions: 4, concurrency: 1 } },
        nth('toss', 2),
      ),
      'evals/money.dataset.jsonl': datasetText(
        { dataset: { pass, budget: { tokens: 150 }, concurrency: 1 } },
        ...[nth('spend a', 1), nth('spend b', 1), nth('spend c', 1)],
      ),
      'evals/time.dataset.jsonl': datasetText({ dataset: { timeout_seconds: 1 } }, nth('wait long', 1)),
      'evals/twice.dataset.jsonl': datasetText({ dataset: { pass } }, nth('first', 1), nth('second', 2)),
      'evals/held.dataset.jsonl': datasetText({ dataset: { pass } }, nth('ready', 1), nth('wait here', 1)),
    });
    window = await vscode.open({ folder: project.folder });
    await window.openViews('agent');
    tests = new TestingPage(window.workbench);
    await tests.open();
  });
  after(async () => {
    await window?.close();
    await project?.[Symbol.asyncDispose]();
  });
  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  /** The experiments on a dataset, the newest first, once they have ended. */
  async function experimentsOn(name: string, count: number) {
    const client = await window.client();
    const { id = '' } = (await findDataset(client, name)) ?? {};
    return eventually(
      `${count} experiments on ${name}`,
      () =>
        client.tracing.sessions.list({
          query: { reference_dataset: [id], sort_by: 'start_time', sort_by_desc: true },
        }),
      (all) => all.length === count && all.every(({ end_time }) => end_time !== null),
    );
  }

  it('repeat only what failed with Rerun Failed Tests', async () => {
    await tests.expand('twice');
    await tests.press('twice', 'Run Test');
    await tests.shows(/^first.*: passed/m, /^second.*: failed/m);
    await window.workbench.runCommand('Test: Rerun Failed Tests');
    await tests.shows(/^first.*: passed/m, /^second.*: passed/m);
    const [newest] = await experimentsOn('twice', 2);
    const { tracing } = await window.client();
    const { runs } = await tracing.runs.query({ body: { session: [newest?.id ?? ''], is_root: true } });
    assert.deepEqual(
      runs.map(({ inputs }) => inputs?.question),
      ['second'],
    );
  });

  it('leave nothing running when they are canceled, and keep the results they had', async () => {
    await tests.expand('held');
    await tests.press('held', 'Run Test');
    await tests.shows(/^ready.*: passed/m, /^wait here: running/m);
    await window.workbench.screenshotInThemes('testing-running');
    await window.workbench.runCommand('Test: Cancel Test Run');
    await tests.shows(/^ready.*: passed/m, /^wait here: skipped/m);
    await eventually(
      'the end of the run',
      () => readFile(path.join(project.folder, 'ended.txt'), 'utf8'),
      (question) => question === 'wait here',
    );
    await experimentsOn('held', 1);
  });

  it('mark an example as flaky, with its pass rate and spread', async () => {
    await tests.expand('coin');
    await tests.press('coin', 'Run Test');
    await tests.shows(/^toss · flaky, passed 1 of 4, correct 0\.25 ±0\.5, steps 1.*: failed/m);
  });

  it('end at the budget and the time limit, and say so', async () => {
    await tests.expand('money');
    await tests.press('money', 'Run Test');
    await tests.shows(/^spend b.*: passed/m, /^spend c: skipped/m, /^money.*: failed/m);
    await tests.says(/The budget of 150 tokens is used up/);
    await tests.expand('time');
    await tests.press('time', 'Run Test');
    await tests.shows(/^wait long.*: failed/m);
    await tests.says(/The run took longer than 1 s/);
    await window.workbench.screenshotInThemes('testing-limits');
  });
});

const KEYED = `import { Annotation, StateGraph } from '@langchain/langgraph';
import OpenAI from 'openai';
// Throws without OPENAI_API_KEY.
const client = new OpenAI({ baseURL: process.env.MODEL_URL });
const State = Annotation.Root({ question: Annotation, answer: Annotation });
async function reply({ question }) {
  const { choices } = await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: question }] });
  return { answer: choices[0].message.content };
}
export const graph = new StateGraph(State).addNode('reply', reply).addEdge('__start__', 'reply').compile();
`;

describe('an example with a cassette in the Testing view', function () {
  this.timeout(180_000);
  const CASSETTE = 'evals/cassettes/pier.agentrun';
  let origin: ModelOrigin;
  let project: EvaluatedProject;
  let window: HarborWindow;

  before(async () => {
    origin = await modelOrigin();
    const variables = `MODEL_URL=${origin.url}/v1\n`;
    const example = { inputs: { question: 'pier' }, outputs: { answer: 'answer 1' } };
    project = await evaluatedProject({
      'agent.mjs': KEYED,
      'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' }, env: '.env' }),
      '.env': `${variables}OPENAI_API_KEY=sk-secret\n`,
      'evals/taped.dataset.jsonl': datasetText(
        { dataset: { pass: { steps: null } } },
        { ...example, cassette: 'cassettes/pier.agentrun' },
      ),
      'evals/cassettes/.keep': '',
    });
    await using data = await dataFolder();
    const input = JSON.stringify(example.inputs);
    const recorded = await cli(
      ['run', 'agent', '--input', input, '--record', CASSETTE, '--data-dir', data.path],
      { cwd: project.folder },
    );
    assert.equal(recorded.code, 0, recorded.stderr);
    await project.write({ '.env': variables });
    window = await vscode.open({ folder: project.folder });
  });
  after(async () => {
    await window?.close();
    await origin?.close();
    await project?.[Symbol.asyncDispose]();
  });
  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  it('is answered from it without the key that the graph needs, and without a request', async () => {
    const asked = origin.requests;
    const { workbench } = window;
    await workbench.openViewContainer('Agent Harbor');
    const tests = new TestingPage(workbench);
    await tests.open();
    await tests.expand('taped');
    await tests.press('taped', 'Run Test');
    await tests.shows(/^pier.*correct 1, steps 1.*: passed/m);
    assert.equal(origin.requests, asked);
  });
});
