import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type {
  ExampleRow,
  ExperimentRow,
  ExperimentsEvent,
} from '../../../src/extension/panels/experiments/messages.ts';
import { launchBrowser } from '../../support/browser.ts';
import { PanelPage, Refusal } from '../../support/panel-page.ts';
import { eventually } from '../../support/wait.ts';

const experiment = (id: string): ExperimentRow => ({
  id,
  name: id,
  startedAt: '2026-01-01T00:00:00Z',
  runs: 10_000,
  errorRate: 0,
  scores: {},
});

/** One example in a hundred regressed. */
const example = (n: number): ExampleRow => ({
  id: `example-${n}`,
  title: `Question ${n}`,
  changes: { correct: n % 100 === 0 ? 'regressed' : 'same' },
  preferences: {},
});

describe('the experiments panel in a browser', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  it('scrolls and filters 10,000 examples, of which only those in sight are in the document', async () => {
    const panel = await PanelPage.open<ExperimentsEvent>(browser, 'experiments', {
      state: { version: 1, connection: 'local', dataset_id: 'questions', shown: 'all', query: '' },
      answers: { ready: { name: 'questions', example_count: 10_000 } },
    });
    const { page } = panel;
    const experiments = ['after', 'before'].map(experiment);
    await page.getByText('10,000 examples').waitFor();
    await panel.send({ type: 'experiments', experiments, example_count: 10_001 });
    await page.getByText('10,001 examples').waitFor();
    for (let at = 0; at < 10_000; at += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, index) => example(at + index + 1));
      await panel.send({ type: 'rows', rows, is_first: at === 0, is_last: at === 9_000 });
    }
    await page.getByRole('button', { name: 'All 10,000' }).waitFor();
    const examples = page.getByRole('grid', { name: 'Examples' });
    await examples.focus();
    await page.keyboard.press('End');
    await examples.getByRole('row', { name: 'Question 10000', selected: true }).waitFor();
    assert.ok((await examples.getByRole('row').count()) < 200);
    await page.getByRole('button', { name: '100 regressed' }).click();
    await page.getByRole('textbox', { name: 'Find examples by text' }).fill('question 9');
    // Examples 900 and 9000 to 9900 regressed.
    await page.getByText('11 found').waitFor();
    assert.deepEqual(
      panel.requests.map(({ method, params }) => [method, params]),
      [
        ['ready', {}],
        ['compare', { experiment_id: 'after', baseline_id: 'before' }],
      ],
    );
    await page.close();
  });

  it('has rows and heads as wide as all scores when those do not fit side by side', async () => {
    const panel = await PanelPage.open<ExperimentsEvent>(browser, 'experiments', {
      state: { version: 1, connection: 'local', dataset_id: 'questions', shown: 'all', query: '' },
      answers: { ready: { name: 'questions', example_count: 1 } },
    });
    const { page } = panel;
    const keys = Array.from({ length: 20 }, (_, at) => `score ${at + 1}`);
    const scores = Object.fromEntries(keys.map((key) => [key, { mean: 0.5, count: 1 }]));
    const experiments = ['after', 'before'].map((id) => ({ ...experiment(id), scores }));
    const cell = { output: 'north', run_ids: [], failed: 0, scores, values: {} };
    const row = { ...example(1), baseline: cell, result: cell };
    await panel.send({ type: 'experiments', experiments, example_count: 1 });
    await panel.send({ type: 'rows', rows: [row], is_first: true, is_last: true });
    for (const name of ['Experiments', 'Examples']) {
      const grid = page.getByRole('grid', { name });
      await grid
        .getByRole('row')
        .nth(1)
        .click({ position: { x: 30, y: 5 } });
      await grid.getByRole('row', { selected: true }).waitFor();
      await grid.getByRole('columnheader', { name: 'score 20' }).waitFor();
      const rows = await grid.getByRole('row').evaluateAll((all) =>
        all.map((one) => {
          const cells = [...one.children].map((child) => child.getBoundingClientRect().right);
          return { right: one.getBoundingClientRect().right, cells: Math.max(...cells) };
        }),
      );
      const visible = await grid.evaluate((element) => element.getBoundingClientRect().right);
      assert.ok(rows.length >= 2, name);
      for (const { right, cells } of rows) {
        assert.ok(cells > visible, `${name}: all scores fit`);
        assert.ok(right >= cells, `${name}: a row ends at ${right}, and its last cell at ${cells}`);
      }
      const [, ends] = [...new Set(rows.map(({ cells }) => cells))];
      assert.equal(ends, undefined, `${name}: columns end where their heads do`);
    }
    await page.close();
  });

  it('reads the results again with Try Again when they could not be read', async () => {
    const results: unknown[] = [new Refusal('The platform does not answer.'), undefined];
    const panel = await PanelPage.open<ExperimentsEvent>(browser, 'experiments', {
      state: { version: 1, connection: 'local', dataset_id: 'questions', shown: 'all', query: '' },
      answers: { ready: { name: 'questions', example_count: 1 }, compare: () => results.shift() },
    });
    const { page } = panel;
    const experiments = { experiments: [experiment('only')], example_count: 1 };
    await panel.send({ type: 'experiments', ...experiments });
    await page.getByText('The platform does not answer.').waitFor();
    await page.getByRole('button', { name: 'Try Again' }).click();
    await eventually(
      'the request',
      () => panel.requests.filter(({ method }) => method === 'ready').length === 2,
    );
    await panel.send({ type: 'experiments', ...experiments });
    const compared = await eventually('the results to be requested again', () =>
      panel.requests.findLast(({ method }, at) => method === 'compare' && at > 2),
    );
    assert.deepEqual(compared.params, { experiment_id: 'only' });
    await page.close();
  });
});
