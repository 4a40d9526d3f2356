import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'langsmith';
import { evaluate, evaluateComparative } from 'langsmith/evaluation';
import type { KVMap, Run } from 'langsmith/schemas';
import { traceable } from 'langsmith/traceable';
import { z } from 'zod';
import { projectRoot } from '../support/cache.ts';
import { CAPITALS, type EvaluatedProject, evaluatedProject } from '../support/evaluated-project.ts';
import { eventually } from '../support/wait.ts';
import { look } from './pages/check-appearance.ts';
import { enterPath } from './pages/enter-path.ts';
import { ExperimentsPage } from './pages/experiments-page.ts';
import { HarborWindow } from './pages/harbor-window.ts';

/** The graph of evaluated projects, which waits as long as there is a file named `hold`. */
const HELD = `import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
${CAPITALS.replace('{\n  return', "{\n  while (existsSync(new URL('hold', import.meta.url))) await sleep(50);\n  return")}`;

const fixtures = path.join(projectRoot, 'test/fixtures/example-files');

interface Question {
  readonly n: number;
}

interface Evaluated {
  readonly outputs?: Record<string, unknown>;
  readonly referenceOutputs?: Record<string, unknown>;
}

const look_up = traceable(async (page: number) => ({ page, found: `Line ${page} of the table` }), {
  name: 'look_up',
});
const conclude = traceable(async (value: number) => ({ value }), { name: 'conclude' });

/** The trace of 3 is longer than an editor shows. */
async function answer(n: number, value: number): Promise<number> {
  if (n !== 3) return value;
  for (let page = 1; page <= 12; page++) await look_up(page);
  return (await conclude(value)).value;
}

describe('the experiments panel', function () {
  this.timeout(180_000);
  let project: EvaluatedProject;
  let window: HarborWindow;
  let panel: ExperimentsPage;
  /** The SDK's names for the experiments, oldest first. */
  const experiments: string[] = [];

  before(async () => {
    project = await evaluatedProject({ 'agent.mjs': HELD });
    window = await HarborWindow.open({ folder: project.folder, size: { width: 1440, height: 1400 } });
    await window.openViews('agent');
    const { base_url, api_key } = await window.server();
    const client = new Client({ apiUrl: base_url, apiKey: api_key });
    const dataset = await client.createDataset('squares');
    await client.createExamples(
      [1, 2, 3, 4].map((n) => ({
        dataset_id: dataset.id,
        inputs: { question: `The square of ${n}?`, n },
        outputs: { answer: n * n },
      })),
    );
    // The first is wrong about 2. The second is wrong about 3, fails for 4, and is right about 1 only every other time.
    let asked = 0;
    const targets = [
      async ({ n }: Question) => ({ answer: await answer(n, n === 2 ? 5 : n * n) }),
      async ({ n }: Question) => {
        if (n === 4) throw new Error('Four is out of range.');
        if (n === 1) return { answer: asked++ % 2 };
        return { answer: await answer(n, n === 3 ? 6 : n * n) };
      },
    ];
    for (const target of targets) {
      const { experimentName } = await evaluate(target, {
        data: 'squares',
        client,
        experimentPrefix: `squares ${experiments.length + 1}`,
        numRepetitions: 2,
        evaluators: [
          ({ outputs, referenceOutputs }: Evaluated) => ({
            key: 'correct',
            score: Number(outputs?.answer === referenceOutputs?.answer),
          }),
          ({ outputs }: Evaluated) => ({ key: 'digits', score: String(outputs?.answer).length }),
        ],
      });
      experiments.push(experimentName);
    }
    await client.awaitPendingTraceBatches();
  });

  after(async () => {
    await window?.close();
    await project?.[Symbol.asyncDispose]();
  });

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  async function openPanel(): Promise<ExperimentsPage> {
    const traces = await window.workbench.view('Traces');
    await traces.expand(['Datasets']);
    await traces.contextMenuItem(['Datasets', 'squares'], 'Show Experiments');
    return findPanel();
  }

  /** VS Code recreates the page of a panel whenever it becomes visible again. */
  async function findPanel(): Promise<ExperimentsPage> {
    const frame = await window.workbench.webview('Experiments: squares');
    return new ExperimentsPage(window.workbench.page, frame);
  }

  async function dataset(name: string) {
    const { datasets } = await window.client();
    const [found] = await datasets.list({ query: { name } });
    return found ?? assert.fail(`There is no dataset ${name}.`);
  }

  async function diffText(): Promise<string> {
    const text = await window.workbench.page.locator('.monaco-diff-editor').innerText();
    return text.replaceAll('\u00a0', ' ');
  }

  it('compares the newest experiment with the one before it', async () => {
    panel = await openPanel();
    const rows = await eventually(
      'both experiments with their scores',
      () => panel.rows(panel.experiments),
      (all) => all.length === 2 && all.every(([, , runs]) => runs === '8'),
    );
    assert.deepEqual(
      rows.map(([name]) => name?.replace(/ ?Baseline$/, '')),
      experiments.toReversed(),
    );
    assert.match(rows[1]?.[0] ?? '', /Baseline$/);
    // 1 of 8 is right half of the time, 2 is right twice, the others are wrong.
    assert.deepEqual(
      rows.map(([, , , correct]) => correct?.split(' ')[0]),
      ['0.38', '0.75'],
    );
    const shown = await eventually(
      'all examples',
      () => panel.rows(panel.examples),
      (all) => all.length === 4,
    );
    const one = shown.find(([title]) => title === 'The square of 1?');
    assert.match(one?.[3] ?? '', /^1 → {2}then {1,2}0\.5 ± 0\.71 ?regressed$/);
    const four = shown.find(([title]) => title === 'The square of 4?');
    assert.match(four?.[2] ?? '', /Four is out of range\./);
    await look(window.workbench, panel.frame, 'experiments');
  });

  it('counts what regressed and improved, for all scores or one, and shows only that', async () => {
    await panel.frame.getByRole('button', { name: '3 regressed' }).waitFor();
    await panel.frame.getByRole('button', { name: '1 failed' }).waitFor();
    await panel.frame.getByRole('combobox', { name: 'Score' }).selectOption('correct');
    await panel.filter(/^1 improved$/);
    const titles = async () => (await panel.rows(panel.examples)).map(([title]) => title);
    await eventually('what improved', titles, (all) => all.join() === 'The square of 2?');
    await panel.filter(/^3 regressed$/);
    await eventually('what regressed', titles, (all) => all.length === 3);
    await panel.frame.getByRole('textbox', { name: 'Find examples by text' }).fill('of 3');
    await eventually('what was looked for', titles, (all) => all.join() === 'The square of 3?');
    await panel.frame.getByRole('textbox', { name: 'Find examples by text' }).fill('');
    await panel.filter(/^All 4$/);
  });

  it('shows what differs between two outputs, and between two traces', async () => {
    await panel.press(panel.examples, 'Home');
    await panel.examples.getByRole('row', { name: /The square of 3/ }).click();
    await panel.frame.getByRole('button', { name: 'Compare Outputs' }).click();
    await eventually(
      'both answers in the diff editor',
      diffText,
      (text) => text.includes('"answer": 9') && text.includes('"answer": 6'),
    );
    await window.workbench.runCommand('View: Close Editor');
    panel = await findPanel();
    await panel.examples.getByRole('row', { name: /The square of 3/, selected: true }).waitFor();
    await panel.frame.getByRole('button', { name: 'Compare Traces' }).click();
    await eventually(
      'both traces in the diff editor',
      diffText,
      (text) => text.includes('answer: 9') && text.includes('answer: 6') && text.includes('type: chain'),
    );
    await window.workbench.runCommand('View: Focus Active Editor Group');
    const end = await eventually(
      'the last node of both',
      async () => {
        // The command is done before the editor has the focus.
        await window.workbench.page.keyboard.press('Control+End');
        return diffText();
      },
      (text) => text.includes('span: conclude') && text.includes('value: 9') && text.includes('value: 6'),
    );
    assert.ok(!end.includes('answer: 9'), 'the traces are longer than what is on view');
    const marked = await window.workbench.page
      .locator('.monaco-diff-editor .modified .view-overlays .line-insert')
      .count();
    assert.equal(marked, 2, 'what the last node was given and returned is marked, what looked alike is not');
    await window.workbench.screenshot('compared-traces');
    await window.workbench.runCommand('View: Close Editor');
    panel = await findPanel();
  });

  it('keeps the chosen baseline with the dataset', async () => {
    await panel.frame
      .getByRole('combobox', { name: 'Experiment', exact: true })
      .selectOption(experiments[0] ?? '');
    await panel.frame.getByRole('combobox', { name: 'Baseline' }).selectOption(experiments[1] ?? '');
    await panel.frame.getByRole('button', { name: '3 improved' }).waitFor();
    const { datasets, tracing } = await window.client();
    const [baseline] = await tracing.sessions.list({ query: { name: experiments[1] } });
    await eventually(
      'the baseline to be kept',
      () => datasets.list({ query: { name: 'squares' } }),
      ([dataset]) => dataset?.baseline_experiment_id === baseline?.id,
    );
  });

  it('shows which experiment a comparison of the SDK preferred, and counts and filters by it', async () => {
    const { base_url, api_key } = await window.server();
    const client = new Client({ apiUrl: base_url, apiKey: api_key });
    const [first = '', second = ''] = experiments;
    // Four is a tie; for the others, the one that is right more often is preferred.
    const judge = ({ runs, referenceOutputs }: { runs: Run[]; referenceOutputs?: KVMap }) => ({
      key: 'preferred',
      scores: Object.fromEntries(
        runs.map(({ id, inputs, outputs }) => [
          id,
          inputs.n === 4 ? 0.5 : Number(outputs?.answer === referenceOutputs?.answer),
        ]),
      ),
    });
    await evaluateComparative([first, second], { client, evaluators: [judge] });
    await panel.filter(/^2 won$/);
    await panel.frame.getByRole('button', { name: '1 tied' }).waitFor();
    await look(window.workbench, panel.frame, 'experiments-preferred');
    await panel.filter(/^1 lost$/);
    const rows = () => panel.rows(panel.examples);
    const [row] = await eventually('what was lost', rows, (all) => all.length === 1);
    assert.deepEqual([row?.[0], row?.[3]], ['The square of 2?', 'lost']);
    await panel.filter(/^All 4$/);
  });

  it('comes back after a reload, with its selections', async () => {
    await window.reload();
    panel = await findPanel();
    await panel.frame.getByRole('button', { name: '3 improved' }).waitFor();
  });

  it('runs the code of the folder on the version of the dataset that an experiment was made with', async () => {
    const { examples } = await window.client();
    const { id: dataset_id } = await dataset('squares');
    await examples.create({ body: { dataset_id, inputs: { question: 'The square of 5?', n: 5 } } });
    const chosen = (list: string) =>
      panel.frame.getByRole('combobox', { name: list, exact: true }).locator('option:checked').textContent();
    const repeated = await chosen('Experiment');
    await panel.frame.getByRole('button', { name: 'Run Again with This Code' }).click();
    await window.workbench.notifications.waitFor('squares: 0 of 4 examples passed.');
    const [made] = await eventually(
      'the new experiment with the scores of the evaluators in the folder',
      () => panel.rows(panel.experiments),
      (all) => all.length >= 3 && all[0]?.[2] === '8',
    );
    assert.match(made?.[0] ?? '', /^squares-/);
    assert.equal(await chosen('Experiment'), made?.[0]);
    assert.equal(await chosen('Baseline'), repeated);
    const rows = await eventually(
      'its answers',
      () => panel.rows(panel.examples),
      // The state also contains the question, which is not part of the answer.
      (all) => all.some(([title, , output]) => title === 'The square of 3?' && output === 'THE SQUARE OF 3?'),
    );
    assert.equal(rows.find(([title]) => title === 'The square of 5?')?.[2], 'not run');
    await panel.frame.getByText('5 examples', { exact: true }).waitFor();
    await look(window.workbench, panel.frame, 'experiments-run-again');
    await window.workbench.notifications.dismissAll();
  });

  it('cancels a run, which leaves nothing running', async () => {
    const agents = await window.agentClient();
    const { tracing } = await window.client();
    const { id } = await dataset('squares');
    const made = () => tracing.sessions.list({ query: { reference_dataset: [id] } });
    const threads = () => agents.threads.search({ body: {} });
    const before = await made();
    await project.write({ hold: '' });
    try {
      await panel.frame.getByRole('button', { name: 'Run Again with This Code' }).click();
      await eventually('runs of it', threads, (all) => all.length > 0);
      await panel.frame.getByRole('button', { name: 'Cancel', exact: true }).click();
      await panel.frame.getByText('The run was canceled.').waitFor();
      await eventually('no run of it', threads, (all) => all.length === 0);
    } finally {
      await rm(path.join(project.folder, 'hold'));
    }
    const [canceled, ...others] = await made();
    assert.equal(others.length, before.length);
    assert.ok(canceled?.end_time, 'the experiment has ended, too');
    await panel.frame.getByRole('button', { name: 'Run Again with This Code' }).waitFor();
    await look(window.workbench, panel.frame, 'experiments-canceled');
  });

  it('exports the comparison as CSV', async () => {
    await panel.frame.getByRole('button', { name: 'Export as CSV…' }).click();
    const file = path.join(window.dataDir, 'squares.csv');
    await enterPath(window.workbench, 'Export Comparison', file);
    const text = await eventually(
      'the file with all examples',
      () => readFile(file, 'utf8').catch(() => ''),
      (written) => written.trimEnd().split('\r\n').length >= 5,
    );
    const [head = '', ...rows] = text.trimEnd().split('\r\n');
    assert.match(head, /^example_id,inputs,expected_outputs,[^\n]*: outputs,[^\n]*correct: change/);
    assert.ok(rows.some((row) => row.includes('The square of 3?')));
  });

  it('opens an example, and checks it against the schema of its dataset as you type', async () => {
    const { workbench } = window;
    const { datasets } = await window.client();
    const { id: dataset_id } = await dataset('squares');
    const inputs_schema_definition = { type: 'object', properties: { n: { type: 'string' } } };
    await datasets.update({ params: { dataset_id }, body: { inputs_schema_definition } });
    await panel.examples.getByRole('row', { name: /The square of 3/ }).click();
    await panel.frame.getByRole('button', { name: 'Open Example' }).click();
    await eventually('what the schema finds wrong', async () =>
      (await workbench.statusBar()).some((text) => /^1 0$|Warnings: 1|^0 1$/.test(text)),
    );
    await workbench.screenshot('example-checked');
    await workbench.editors.closeAll();
  });

  describe('the datasets beside it', () => {
    it('are imported from a file of another tool', async () => {
      const { workbench } = window;
      await workbench.editors.closeAll();
      await workbench.runCommand('Agent Harbor: Import Examples…');
      await enterPath(window.workbench, 'Import Examples', path.join(fixtures, 'lights.evalset.json'));
      await workbench.quickInput.waitFor('Select a dataset');
      await workbench.quickInput.pick('New Dataset…');
      await workbench.quickInput.waitFor('New Dataset');
      await workbench.quickInput.accept();
      await workbench.notifications.waitFor('Added 2 examples to lights.');
      await workbench.notifications.dismissAll();
      const { examples } = await window.client();
      const made = await examples.list({ query: { dataset: (await dataset('lights')).id } });
      assert.deepEqual(
        made
          .map(({ metadata }) => metadata?.adk)
          .map((own) => z.looseObject({ eval_id: z.string() }).parse(own).eval_id)
          .sort(),
        ['one_turn', 'two_turns'],
      );
    });

    it('show a split', async () => {
      const { workbench } = window;
      const traces = await workbench.view('Traces');
      await traces.expand(['Datasets']);
      await traces.expand(['Datasets', 'lights']);
      await traces.contextMenuItem(['Datasets', 'lights', 'Turn off device_2.'], 'Set Splits…');
      await workbench.quickInput.waitFor('Select the splits of the examples');
      await workbench.quickInput.pick('New Split…');
      await workbench.quickInput.accept();
      await workbench.quickInput.waitFor('New Split');
      await workbench.quickInput.type('easy');
      await workbench.quickInput.accept();
      await traces.waitForText(/- Turn off device_2\. · easy · /);
      await traces.contextMenuItem(['Datasets', 'lights'], 'Show Split…');
      await workbench.quickInput.pick('easy');
      await traces.waitForText((text) => / lights · split easy/.test(text) && !text.includes('Living Room'));
      await traces.contextMenuItem(['Datasets', 'lights'], 'Show Split…');
      await workbench.quickInput.pick('All Examples');
      await traces.waitForText(/Living Room/);
    });

    it('show an earlier version', async () => {
      const { workbench } = window;
      const traces = await workbench.view('Traces');
      const { examples } = await window.client();
      const { id } = await dataset('lights');
      const made = await examples.list({ query: { dataset: id } });
      // Removes examples of an earlier attempt.
      if (made.length > 0)
        await examples.deleteMany({ query: { example_ids: made.flatMap((example) => example.id ?? []) } });
      await traces.waitForText(/ lights · (0 examples|version of)/);
      await traces.contextMenuItem(['Datasets', 'lights'], 'Show Version…');
      await workbench.quickInput.waitFor('Select a version');
      // How versions differ is added while they are shown.
      const { items } = await eventually(
        'what the version changed',
        () => workbench.quickInput.state(),
        (shown) => shown?.items[0]?.description === 'current, latest · 2 removed',
      );
      await workbench.quickInput.pick(items[1]?.label ?? '');
      await traces.waitForText(/ lights · version of [^\n]*\n[^\n]*- (Turn off device_2|What's)/);
      await workbench.screenshot('dataset-version');
    });

    it('are exported to a file, as they are shown', async () => {
      const { workbench } = window;
      const traces = await workbench.view('Traces');
      await traces.contextMenuItem(['Datasets', 'lights'], 'Export Dataset…');
      await workbench.quickInput.pick('ADK Eval Set');
      const file = path.join(window.dataDir, 'exported.evalset.json');
      await enterPath(window.workbench, 'Export lights', file);
      const cases = async (name: string) => {
        const set = z.looseObject({ eval_cases: z.array(z.looseObject({ eval_id: z.string() })) });
        return set
          .parse(JSON.parse(await readFile(name, 'utf8')))
          .eval_cases.sort((a, b) => a.eval_id.localeCompare(b.eval_id));
      };
      await eventually(
        'the file',
        () => cases(file).catch(() => undefined),
        (found) => found?.length === 2,
      );
      const [one, two] = await cases(file);
      const [first, second] = await cases(path.join(fixtures, 'lights.evalset.json'));
      assert.deepEqual(two, second);
      assert.deepEqual(one, { ...first, dataset_split: ['base', 'easy'] });
    });
  });
});
