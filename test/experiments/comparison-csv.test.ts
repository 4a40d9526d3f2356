import assert from 'node:assert/strict';
import { Client as LangSmith } from 'langsmith';
import { evaluate } from 'langsmith/evaluation';
import Papa from 'papaparse';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { comparisonCsv } from '../../src/experiments/comparison-csv.ts';
import { readLowerIsBetter } from '../../src/experiments/lower-is-better.ts';
import { readExperiments } from '../../src/experiments/read-experiments.ts';
import { readResults } from '../../src/experiments/read-results.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

interface Evaluated {
  readonly outputs?: Record<string, unknown>;
  readonly referenceOutputs?: Record<string, unknown>;
}

describe('a comparison of experiments of the langsmith SDK', () => {
  let platform: Platform;

  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  it('is written as CSV with outputs, scores, deviations and how they changed', async () => {
    const apiKey = platform.workspace.key;
    const sdk = new LangSmith({ apiUrl: platform.url, apiKey });
    const { id } = await sdk.createDataset('greetings');
    await sdk.createExamples([
      { dataset_id: id, inputs: { name: '=Ada' }, outputs: { text: 'Hello, Ada' } },
      { dataset_id: id, inputs: { name: 'Bob' }, outputs: { text: 'Hello, Bob' } },
    ]);
    let greeted = 0;
    const targets = [
      ({ name }: { name: string }) => ({ text: `Hello, ${name.replace('=', '')}` }),
      ({ name }: { name: string }) => {
        if (name === 'Bob') throw new Error('Bob is not here.');
        return { text: greeted++ % 2 === 0 ? 'Hello, Ada' : 'Bye' };
      },
    ];
    for (const [at, target] of targets.entries()) {
      await evaluate(target, {
        data: 'greetings',
        client: sdk,
        experimentPrefix: `greeter ${at + 1}`,
        numRepetitions: 2,
        evaluators: [
          ({ outputs, referenceOutputs }: Evaluated) => ({
            key: 'right',
            score: Number(outputs?.text === referenceOutputs?.text),
          }),
          ({ outputs }: Evaluated) => ({ key: 'errors', score: Number(outputs?.text === undefined) }),
        ],
      });
    }
    await sdk.awaitPendingTraceBatches();

    const client = clientOf({ baseUrl: platform.url, apiKey }, createDispatcher());
    await client.tracing.feedbackConfigs.create({
      body: {
        feedback_key: 'errors',
        feedback_config: { type: 'continuous', min: 0, max: 1 },
        is_lower_score_better: true,
      },
    });
    const experiments = (await readExperiments(client, id)).toReversed();
    assert.deepEqual(
      experiments.map(({ runs, errorRate, scores }) => [runs, errorRate, scores.right?.mean]),
      [
        [4, 0, 1],
        [4, 0.5, 0.25],
      ],
    );
    const ids = experiments.map((experiment) => experiment.id);
    const compared = {
      experiments: ['before', 'after'].map((name, at) => ({ id: ids[at] ?? '', name })),
      keys: ['right', 'errors'],
      lowerIsBetter: await readLowerIsBetter(client),
    };
    let text = '';
    for await (const lines of comparisonCsv(readResults(client, id, ids, { isWhole: true }), compared))
      text += lines;
    const rows = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
    const shown = rows.map((row) =>
      [
        ...['inputs', 'expected_outputs', 'before: outputs', 'before: right', 'after: outputs'],
        ...['after: right', 'after: right deviation', 'right: change', 'errors: change'],
      ].map((column) => row[column]),
    );
    assert.deepEqual(
      shown.sort((a, b) => String(a[0]).localeCompare(String(b[0]))),
      [
        [
          ...['{"name":"=Ada"}', '{"text":"Hello, Ada"}', '{"text":"Hello, Ada"}', '1'],
          ...['{"text":"Hello, Ada"}', '0.5', String(Math.SQRT1_2), 'regressed', 'same'],
        ],
        [
          ...['{"name":"Bob"}', '{"text":"Hello, Bob"}', '{"text":"Hello, Bob"}', '1'],
          ...['', '0', '0', 'regressed', 'regressed'],
        ],
      ],
    );
    const [error] = rows.map((row) => row['after: error']).filter(Boolean);
    assert.equal(error, 'Error: Bob is not here.', 'without the stack');
  });
});
