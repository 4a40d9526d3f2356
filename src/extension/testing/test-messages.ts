import * as vscode from 'vscode';
import { comparableOutput } from '../../client/comparable-output.ts';
import type { DatasetResult, ExampleResult } from '../../evaluation/evaluate-dataset.ts';
import { judge } from '../../evaluation/outcome.ts';
import { formatScore, type ScoredRun, statisticsOf } from '../../evaluation/verdict.ts';
import { isWhole } from '../../evaluation/whole-result.ts';

/**
 * The scores of an example for its row, and how often it passed when it is flaky: `correct 1, tone 0.5 ±0.2`.
 */
export function describeScores({ runs, verdict }: ExampleResult): string {
  const passed = runs.filter(({ failures }) => failures.length === 0).length;
  const scores = [...statisticsOf(runs)].map(
    ([key, { mean, deviation = 0 }]) =>
      `${key} ${formatScore(mean)}${deviation > 0 ? ` ±${formatScore(deviation)}` : ''}`,
  );
  const often = verdict === 'flaky' ? [vscode.l10n.t('flaky, passed {0} of {1}', passed, runs.length)] : [];
  return [...often, ...scores].join(', ');
}

/** Marks of verdicts, in the colors of a terminal. */
const MARKS: Readonly<Record<ExampleResult['verdict'], string>> = {
  passed: '\u001b[32m✓\u001b[39m',
  flaky: '\u001b[33m~\u001b[39m',
  failed: '\u001b[31m✗\u001b[39m',
  skipped: '-',
};

/** The output of a test for an example: its errors, scores and comments. */
export function outputOf({ example, runs, verdict }: ExampleResult): string {
  const lines = runs.flatMap(({ scores, error }) => [
    ...(error === undefined ? [] : [error]),
    ...scores.map(
      ({ key, score, value, comment }) =>
        `${key}: ${formatValue(score ?? value)}${comment ? ` (${comment})` : ''}`,
    ),
  ]);
  return [`${MARKS[verdict]} ${example.label}`, ...lines.map((line) => `  ${line}`), '']
    .join('\n')
    .replaceAll('\n', '\r\n');
}

function formatValue(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return formatScore(value);
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/**
 * The messages of an example that does not pass: one per failed run, with the reference beside the actual
 * output.
 */
export function messagesOf(uri: vscode.Uri, { example, runs }: ExampleResult): vscode.TestMessage[] {
  return runs
    .filter(({ failures }) => failures.length > 0)
    .map((run) => {
      const message = messageOf(run, example.outputs ?? undefined);
      message.location = new vscode.Location(uri, new vscode.Position(example.line - 1, 0));
      message.contextValue = 'agentHarbor.example';
      return message;
    });
}

/**
 * The problems of a dataset as a whole, besides examples that do not pass: its budget is used up, or its
 * pass rate or mean scores are too low. The pass rate and the mean scores are checked only if all examples
 * have results.
 */
export function problemsOf(uri: vscode.Uri, result: DatasetResult): vscode.TestMessage[] {
  const { settings } = result;
  const whole = isWhole(result);
  const asked = whole ? settings : { ...settings, thresholds: {} };
  // A pass rate of 1 means that no example may fail, which each failing row shows itself.
  const pass_rate = whole && settings.pass_rate < 1 ? settings.pass_rate : 0;
  const { problems } = judge({ ...result, settings: { ...asked, pass_rate } }, undefined, {
    failOnRegression: false,
  });
  return problems.map((problem) => {
    const message = new vscode.TestMessage(problem);
    message.location = new vscode.Location(uri, new vscode.Position(0, 0));
    return message;
  });
}

function messageOf(
  { failures, outputs, repetition }: ScoredRun,
  reference: Record<string, unknown> | undefined,
): vscode.TestMessage {
  const text = failures.join('\n') + (repetition > 1 ? vscode.l10n.t(' (repetition {0})', repetition) : '');
  if (reference === undefined || outputs === undefined) return new vscode.TestMessage(text);
  // The output is a whole state, of which the reference usually names only a part.
  const compared = Object.keys(reference).filter((key) => key in outputs);
  const picked = Object.fromEntries(compared.map((key) => [key, outputs[key]]));
  const answer: unknown = Array.isArray(outputs.messages) ? outputs.messages.at(-1) : outputs;
  const actual = compared.length === 0 ? answer : picked;
  const [expected, shown] = [reference, actual].map((value) => format(comparableOutput(value)));
  return vscode.TestMessage.diff(text, expected ?? '', shown ?? '');
}

function format(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
