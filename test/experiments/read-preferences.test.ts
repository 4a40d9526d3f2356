import assert from 'node:assert/strict';
import { Client as LangSmith } from 'langsmith';
import { evaluate, evaluateComparative } from 'langsmith/evaluation';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { RequestError } from '../../src/client/request-error.ts';
import { readExperiments } from '../../src/experiments/read-experiments.ts';
import { type JudgedExample, withPreferences } from '../../src/experiments/read-preferences.ts';
import { readResults } from '../../src/experiments/read-results.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

interface Answered {
  readonly id: string;
  readonly outputs?: Record<string, unknown>;
}

/** Prefers the runs with the larger or the smaller answer. */
function judge(key: string, sign: 1 | -1) {
  return ({ runs }: { runs: Answered[] }) => ({
    key,
    scores: Object.fromEntries(runs.map(({ id, outputs }) => [id, sign * Number(outputs?.answer)])),
  });
}

describe('the preferred one of two experiments', () => {
  let platform: Platform;

  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  it('is the one that the newest comparison of the langsmith SDK names under a key', async () => {
    const apiKey = platform.workspace.key;
    const sdk = new LangSmith({ apiUrl: platform.url, apiKey });
    const { id } = await sdk.createDataset('numbers');
    await sdk.createExamples([1, 2, 3].map((n) => ({ dataset_id: id, inputs: { n } })));
    const run = async (target: (inputs: { n: number }) => { answer: number }) => {
      const evaluators = [
        ({ outputs }: { outputs?: Record<string, unknown> }) => ({
          key: 'size',
          score: Number(outputs?.answer),
        }),
      ];
      return evaluate(target, { data: 'numbers', client: sdk, numRepetitions: 2, evaluators });
    };
    const results = [
      await run(() => ({ answer: 2 })),
      await run(({ n }) => ({ answer: n })),
      await run(() => ({ answer: 0 })),
    ];
    const [two = '', same = '', none = ''] = results.map(({ experimentName }) => experimentName);
    const compare = (names: [string, string], ...evaluators: ReturnType<typeof judge>[]) =>
      evaluateComparative(names, { client: sdk, evaluators });
    await sdk.awaitPendingTraceBatches();
    await compare([two, same], judge('preferred', -1), judge('larger', 1));
    await compare([two, same], judge('preferred', 1));
    // Feedback of another experiment, which says nothing about these two.
    await compare([none, same], judge('smaller', -1));

    const client = clientOf({ baseUrl: platform.url, apiKey }, createDispatcher());
    const experiments = await readExperiments(client, id);
    const idOf = (name: string) => experiments.find((one) => one.name === name)?.id ?? '';
    const pair = { baseline: idOf(two), experiment: idOf(same) };
    const pages = readResults(client, id, [pair.baseline, pair.experiment]);
    const found: JudgedExample[] = [];
    for await (const page of withPreferences(pages, client, id, pair)) found.push(...page);
    const byNumber = found.toSorted((a, b) =>
      JSON.stringify(a.inputs).localeCompare(JSON.stringify(b.inputs)),
    );
    assert.deepEqual(
      byNumber.map(({ preferences }) => preferences),
      [
        { preferred: 'lost', larger: 'lost' },
        { preferred: 'tied', larger: 'tied' },
        { preferred: 'won', larger: 'won' },
      ],
    );
    const keys = byNumber.map(({ results }) => Object.keys(results.get(pair.baseline)?.scores ?? {}));
    assert.deepEqual(keys, [['size'], ['size'], ['size']]);
    // A preference appears neither in the tables of experiments nor for another pair.
    assert.deepEqual(
      experiments.map(({ scores }) => Object.keys(scores)),
      [['size'], ['size'], ['size']],
    );
    const other: JudgedExample['results'][] = [];
    for await (const page of readResults(client, id, [idOf(same), idOf(none)]))
      other.push(...page.map((example) => example.results));
    assert.deepEqual(
      other.map((each) => [...each.values()].map(({ scores }) => Object.keys(scores))),
      Array(3).fill([['size'], ['size']]),
    );
  });
});

describe('the comparisons of two experiments', () => {
  const id = '0198a000-0000-7000-8000-000000000001';
  const comparisons = Array.from({ length: 100 }, (_, n) => ({
    ...{ id: `${n}`, created_at: '2026-01-01T00:00:00Z', experiments_info: [], reference_dataset_id: id },
    ...{ tenant_id: id, modified_at: '2026-01-01T00:00:00Z' },
  }));
  const example = { id, inputs: {}, outputs: {}, results: new Map() };

  /** Adds the preferences to an example. @param statuses how the platform answers for each page of comparisons */
  async function preferences(...statuses: readonly number[]) {
    await using peer = await httpPeer((_, response, count) => {
      const status = statuses[count] ?? 500;
      json(response, status, status === 200 ? comparisons : { detail: 'Refused.' });
    });
    const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
    const found: JudgedExample[] = [];
    const pages = (async function* () {
      yield [example];
    })();
    for await (const page of withPreferences(pages, client, id, { baseline: 'a', experiment: 'b' }))
      found.push(...page);
    return found.map((judged) => judged.preferences);
  }

  it('are none on a platform that has no comparisons', async () => {
    assert.deepEqual(await preferences(404), [{}]);
  });

  it('are unknown if the platform refuses to list them, or some of them', async () => {
    await assert.rejects(preferences(403), RequestError);
    await assert.rejects(preferences(200, 404), RequestError);
  });

  it('count for each example by the newest that judged it', async () => {
    const infos = ['a', 'b'].map((experiment) => ({ id: experiment, name: experiment }));
    const judged = comparisons.slice(0, 2).map((one) => ({ ...one, experiments_info: infos }));
    /** The scores of the runs of experiment b, by comparison. Each run of experiment a has 0. */
    const scores: Readonly<Record<string, Readonly<Record<string, number>>>> = {
      0: { x: 1 },
      1: { x: -1, y: -1 },
    };
    await using peer = await httpPeer(({ url }, response) => {
      const { searchParams } = new URL(url, 'http://peer');
      const found = scores[searchParams.get('comparative_experiment_id') ?? ''];
      const feedback = Object.entries(found ?? {}).flatMap(([name, score]) =>
        [0, score].map((each, at) => ({
          ...{
            id: `${name}${at}`,
            key: 'better',
            run_id: `${name}${at}`,
            score: each,
            value: null,
            correction: null,
          },
          ...{ created_at: '2026-01-01T00:00:00Z', modified_at: '2026-01-01T00:00:00Z' },
        })),
      );
      json(response, 200, found === undefined ? judged : feedback);
    });
    const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
    const examples = ['x', 'y'].map((name) => {
      const results: JudgedExample['results'] = new Map(
        ['a', 'b'].map((experiment, at) => {
          const run = { runIds: [`${name}${at}`], runs: 1, failed: 0 };
          return [experiment, { ...run, outputs: {}, scores: {}, values: {} }];
        }),
      );
      return { id: name, inputs: {}, outputs: {}, results };
    });
    const pages = (async function* () {
      yield examples;
    })();
    const found: JudgedExample[] = [];
    for await (const page of withPreferences(pages, client, id, { baseline: 'a', experiment: 'b' }))
      found.push(...page);
    assert.deepEqual(
      found.map(({ preferences }) => preferences),
      [{ better: 'won' }, { better: 'lost' }],
    );
  });
});
