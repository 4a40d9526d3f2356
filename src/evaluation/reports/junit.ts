import path from 'node:path';
import type { DatasetResult, ExampleResult } from '../evaluate-dataset.ts';
import type { Outcome } from '../outcome.ts';
import { formatScore, statisticsOf } from '../verdict.ts';

/**
 * Evaluations as JUnit XML: a test suite per dataset, a test case per example.
 * @param folder what the names of files are relative to.
 */
export function junitOf(outcomes: readonly Outcome[], folder: string): string {
  const suites = outcomes.map((outcome, id) => suite(outcome, id, folder));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function suite({ result, problems }: Outcome, id: number, folder: string): string {
  const { results, durationMs, startedAt, file, experiment } = result;
  const count = (...verdicts: string[]) => results.filter(({ verdict }) => verdicts.includes(verdict)).length;
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
  const properties = [
    ['experiment', experiment.name],
    ['graph', result.graph],
    ...[...statisticsOf(results.flatMap(({ runs }) => runs))].map(([key, { mean }]) => [
      `score.${key}`,
      formatScore(mean),
    ]),
  ].map(([name = '', value = '']) => `      <property${attributesOf({ name, value })}/>\n`);
  return [
    `  <testsuite${attributesOf(attributes)}>\n    <properties>\n${properties.join('')}    </properties>\n`,
    ...results.map((example) => testcase(result, example)),
    `    <system-out/>\n    <system-err>${escapeXml(problems.join('\n'))}</system-err>\n  </testsuite>\n`,
  ].join('');
}

function testcase({ file, stopped }: DatasetResult, { example, runs, verdict }: ExampleResult): string {
  const time = seconds(runs.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const opening = `    <testcase${attributesOf({ name: `line ${example.line}: ${example.label}`, classname: file.name, time })}`;
  if (verdict === 'passed') return `${opening}/>\n`;
  if (verdict === 'skipped') {
    return `${opening}>\n      <skipped${attributesOf({ message: stopped ?? 'It was not run.' })}/>\n    </testcase>\n`;
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
  return `${opening}>\n      <failure${attributesOf({ message, type: verdict })}>${escapeXml(text)}</failure>\n    </testcase>\n`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function attributesOf(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** XML has no way to write most control characters, nor half of a surrogate pair. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}
