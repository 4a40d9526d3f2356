import assert from 'node:assert/strict';
import { compareWith } from '../../src/evaluation/baseline.ts';
import { parseDatasetFile } from '../../src/evaluation/dataset-file.ts';
import { EvaluationSettings } from '../../src/evaluation/evaluation-settings.ts';
import { judge } from '../../src/evaluation/outcome.ts';
import { failuresOf, type ScoredRun, statisticsOf, verdictOf } from '../../src/evaluation/verdict.ts';

const settings = EvaluationSettings.parse({ pass: { similarity: 0.8, words: null } });

function scored(scores: Record<string, number | boolean>, error?: string): ScoredRun {
  const all = Object.entries(scores).map(([key, score]) => ({ key, score, evaluator: key }));
  const run = { error, scores: all };
  return {
    ...run,
    ...{ runId: '', repetition: 1, outputs: {}, durationMs: 1, tokens: undefined, cost: undefined },
    failures: failuresOf(run, settings),
  };
}

function resultOf(...runsOfExamples: ScoredRun[][]) {
  const text = runsOfExamples.map((_, at) => `{"inputs": {"q": "${at}"}}`).join('\n');
  const file = parseDatasetFile('/basics.dataset.jsonl', text);
  return {
    ...{
      file,
      datasetName: file.name,
      overwritten: 0,
      settings,
      graph: 'agent',
      datasetId: '',
      experiment: { id: '', name: 'now' },
    },
    ...{ startedAt: new Date(0), durationMs: 1, stopped: undefined },
    results: file.examples.map((example, at) => {
      const runs = runsOfExamples[at] ?? [];
      return { example, exampleId: String(at), runs, verdict: verdictOf(runs) };
    }),
  };
}

describe('a run of an example', () => {
  it('passes with true, 1, or the score that pass names', () => {
    assert.deepEqual(scored({ correct: true, other: 1, similarity: 0.8, words: 0 }).failures, []);
    assert.deepEqual(scored({ correct: 0.99, similarity: 0.79, words: 0 }).failures, [
      'correct: 0.99, must be at least 1',
      'similarity: 0.79, must be at least 0.8',
    ]);
    assert.deepEqual(scored({ correct: false, similarity: false }).failures, [
      'correct: false, must be true',
      'similarity: false, must be true',
    ]);
    assert.deepEqual(scored({ correct: true }, 'Error: it broke').failures, ['Error: it broke']);
  });

  it('is flaky together with others that end differently', () => {
    const [good, bad] = [scored({ correct: 1 }), scored({ correct: 0 })];
    assert.deepEqual([[good], [bad], [good, bad], []].map(verdictOf), [
      'passed',
      'failed',
      'flaky',
      'skipped',
    ]);
    assert.deepEqual(statisticsOf([good, bad]).get('correct'), {
      mean: 0.5,
      deviation: Math.SQRT1_2,
      count: 2,
    });
  });
});

describe('a comparison with a baseline', () => {
  const [good, bad] = [scored({ correct: 1 }), scored({ correct: 0 })];

  it('counts examples that pass more or less often, among those in both experiments', () => {
    const result = resultOf([good], [bad], [good, bad], [good], []);
    const passRates = new Map([
      ['0', 0],
      ['1', 1],
      ['2', 0.5],
      ['4', 1],
    ]);
    const comparison = compareWith(result, { name: 'main', means: new Map(), passRates });
    assert.deepEqual(
      comparison.improvements.map(({ line }) => line),
      [1],
    );
    assert.deepEqual(
      comparison.regressions.map(({ line }) => line),
      [2],
    );
  });

  it('fails an evaluation only on request', () => {
    const result = { ...resultOf([bad], [good]), settings: { ...settings, pass_rate: 0 } };
    const comparison = compareWith(result, {
      name: 'main',
      means: new Map(),
      passRates: new Map([['0', 1]]),
    });
    assert.deepEqual(judge(result, comparison, { failOnRegression: false }).problems, []);
    assert.deepEqual(judge(result, comparison, { failOnRegression: true }).problems, [
      '1 example regressed against main.',
    ]);
  });
});
