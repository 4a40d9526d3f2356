import path from 'node:path';
import type { DatasetResult, ExampleResult } from '../evaluate-dataset.ts';
import type { Outcome } from '../outcome.ts';
import { formatScore, statisticsOf, type Verdict } from '../verdict.ts';
import { type Element, element, xmlOf } from './xml.ts';

/**
 * Evaluations as JUnit XML: a test suite for each dataset, with a test case for each example.
 * @param folder the paths of files are relative to this folder
 */
export function junitOf(outcomes: readonly Outcome[], folder: string): string {
  const suites = outcomes.map((outcome, id) => suite(outcome, id, folder));
  return xmlOf(element('testsuites', {}, suites));
}

function suite({ result, problems }: Outcome, id: number, folder: string): Element {
  const { results, durationMs, startedAt, file, experiment } = result;
  const count = (...verdicts: Verdict[]) =>
    results.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const attributes = {
    name: file.name,
    package: path.relative(folder, file.file).split(path.sep).join('/') || file.name,
    id,
    timestamp: startedAt.toISOString().slice(0, 19),
    hostname: 'localhost',
    tests: results.length,
    failures: count('failed', 'flaky'),
    errors: 0,
    time: seconds(durationMs),
  };
  const scores = [...statisticsOf(results.flatMap(({ runs }) => runs))];
  const properties = [
    element('property', { name: 'experiment', value: experiment.name }),
    element('property', { name: 'graph', value: result.graph }),
    ...scores.map(([key, { mean }]) =>
      element('property', { name: `score.${key}`, value: formatScore(mean) }),
    ),
  ];
  return element('testsuite', attributes, [
    element('properties', {}, properties),
    ...results.map((example) => testcase(result, example)),
    element('system-out'),
    element('system-err', {}, problems.join('\n')),
  ]);
}

function testcase({ file, stopped }: DatasetResult, { example, runs, verdict }: ExampleResult): Element {
  const time = seconds(runs.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const attributes = { name: `line ${example.line}: ${example.label}`, classname: file.name, time };
  if (verdict === 'passed') return element('testcase', attributes);
  if (verdict === 'skipped') {
    return element('testcase', attributes, [element('skipped', { message: stopped ?? 'It was not run.' })]);
  }
  const failed = runs.filter(({ failures }) => failures.length > 0);
  const message =
    verdict === 'flaky'
      ? `Flaky: passed ${runs.length - failed.length} of ${runs.length} times`
      : (failed[0]?.failures[0] ?? '');
  const text = failed
    .map(({ repetition, failures, outputs }) =>
      [
        ...(runs.length > 1 ? [`Repetition ${repetition}`] : []),
        ...failures,
        `Expected: ${JSON.stringify(example.outputs ?? null)}`,
        `Actual: ${JSON.stringify(outputs ?? null)}`,
      ].join('\n'),
    )
    .join('\n\n');
  return element('testcase', attributes, [element('failure', { message, type: verdict }, text)]);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
