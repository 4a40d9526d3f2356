import assert from 'node:assert/strict';
import { Client } from 'langsmith';
import { evaluate } from 'langsmith/evaluation';
import { exampleFolder } from '../support/example.ts';
import { eventually } from '../support/wait.ts';
import { look } from './pages/check-appearance.ts';
import { ExperimentsPage } from './pages/experiments-page.ts';
import { HarborWindow } from './pages/harbor-window.ts';

interface Question {
  readonly n: number;
}

interface Evaluated {
  readonly outputs?: Record<string, unknown>;
  readonly referenceOutputs?: Record<string, unknown>;
}

describe('the experiments panel', function () {
  this.timeout(180_000);
  let window: HarborWindow;
  let panel: ExperimentsPage;
  /** What the SDK named the experiments, oldest first. */
  const experiments: string[] = [];

  before(async () => {
    window = await HarborWindow.open({
      folder: await exampleFolder('docs-agent'),
      size: { width: 1440, height: 900 },
    });
    await window.openViews('docs_agent');
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
    // The first is wrong about 2. The second is wrong about 3, does not answer 4, and of 1 only every other time.
    let asked = 0;
    const targets = [
      ({ n }: Question) => ({ answer: n === 2 ? 5 : n * n }),
      ({ n }: Question) => {
        if (n === 4) throw new Error('Four is out of range.');
        if (n === 1) return { answer: asked++ % 2 };
        return { answer: n === 3 ? 6 : n * n };
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

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  async function openPanel(): Promise<ExperimentsPage> {
    const traces = await window.workbench.view('Traces');
    await traces.expand(['Datasets']);
    await traces.contextMenuItem(['Datasets', 'squares'], 'Show Experiments');
    return findPanel();
  }

  /** VS Code makes the page of a panel anew whenever it comes back into sight. */
  async function findPanel(): Promise<ExperimentsPage> {
    const frame = await window.workbench.webview('Experiments: squares');
    return new ExperimentsPage(window.workbench.page, frame);
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

  it('counts what regressed and improved, of every score and of one, and shows only that', async () => {
    await panel.frame.getByRole('button', { name: '3 regressed' }).waitFor();
    await panel.frame.getByRole('button', { name: '1 failed' }).waitFor();
    await panel.frame.getByRole('combobox', { name: 'Score' }).selectOption('correct');
    await panel.filter(/^1 improved$/);
    const titles = async () => (await panel.rows(panel.examples)).map(([title]) => title);
    await eventually('what improved', titles, (all) => all.join() === 'The square of 2?');
    await panel.filter(/^3 regressed$/);
    await eventually('what regressed', titles, (all) => all.length === 3);
    await panel.frame.getByRole('textbox', { name: 'Find examples by their words' }).fill('of 3');
    await eventually('what was looked for', titles, (all) => all.join() === 'The square of 3?');
    await panel.frame.getByRole('textbox', { name: 'Find examples by their words' }).fill('');
    await panel.filter(/^All 4$/);
  });

  it('shows what differs between two outputs', async () => {
    await panel.press(panel.examples, 'Home');
    await panel.examples.getByRole('row', { name: /The square of 3/ }).click();
    await panel.frame.getByRole('button', { name: 'Compare Outputs' }).click();
    await eventually(
      'both answers in the diff editor',
      async () =>
        (await window.workbench.page.locator('.monaco-diff-editor').innerText()).replaceAll('\u00a0', ' '),
      (text) => text.includes('"answer": 9') && text.includes('"answer": 6'),
    );
    await window.workbench.runCommand('View: Close Editor');
    panel = await findPanel();
    await panel.examples.getByRole('row', { name: /The square of 3/, selected: true }).waitFor();
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

  it('comes back after a reload, with what was chosen', async () => {
    await window.reload();
    panel = await findPanel();
    await panel.frame.getByRole('button', { name: '3 improved' }).waitFor();
  });
});
