import Papa from 'papaparse';
import { comparableOutput } from '../client/comparable-output.ts';
import { FORMULA } from '../contract/datasets/csv-cells.ts';
import { partsOfError } from '../terms/error-text.ts';
import { compareOutcomes } from './compare-scores.ts';
import type { ExampleResults, Result } from './read-results.ts';

/** The experiments and keys that have columns, in this order. */
export interface ComparedExperiments {
  /** The baseline first, if there is one. */
  readonly experiments: readonly { readonly id: string; readonly name: string }[];
  /** The feedback keys of all these experiments. */
  readonly keys: readonly string[];
  readonly lowerIsBetter: ReadonlySet<string>;
}

/**
 * The results of experiments as CSV: a row per example with its inputs and expected outputs, the outputs and
 * scores of each experiment, and, if there are two, how each score changed. Numbers from several repetitions
 * are averaged.
 * @throws while iterating, any error of `pages`
 */
export async function* comparisonCsv(
  pages: AsyncIterable<readonly ExampleResults[]>,
  compared: ComparedExperiments,
): AsyncGenerator<string, void, undefined> {
  const { experiments, keys } = compared;
  const isPair = experiments.length === 2;
  const columns = [
    ...['example_id', 'inputs', 'expected_outputs'],
    ...experiments.flatMap(({ name }) => [
      ...['outputs', 'error', 'runs', 'latency_ms', 'cost_usd'].map((column) => `${name}: ${column}`),
      ...keys.flatMap((key) => [`${name}: ${key}`, `${name}: ${key} deviation`]),
    ]),
    ...(isPair ? keys.map((key) => `${key}: change`) : []),
  ];
  yield `${toCsv([columns])}\r\n`;
  for await (const page of pages) {
    if (page.length > 0) yield `${toCsv(page.map((example) => rowOf(example, compared)))}\r\n`;
  }
}

function rowOf(
  example: ExampleResults,
  { experiments, keys, lowerIsBetter }: ComparedExperiments,
): unknown[] {
  const { id, inputs, outputs, results } = example;
  const [before, after] = experiments.map((experiment) => results.get(experiment.id));
  const changes = compareOutcomes(before, after, lowerIsBetter);
  return [
    ...[id, toJson(inputs), toJson(outputs)],
    ...experiments.flatMap((experiment) => cellsOf(results.get(experiment.id), keys)),
    ...(experiments.length === 2 ? keys.map((key) => changes[key] ?? '') : []),
  ];
}

function cellsOf(result: Result | undefined, keys: readonly string[]): unknown[] {
  return [
    result === undefined ? '' : toJson(result.outputs),
    ...[
      result?.error && partsOfError(result.error).message,
      result?.runs,
      result?.latency?.mean,
      result?.cost?.mean,
    ],
    ...keys.flatMap((key) => {
      const score = result?.scores[key];
      return [score?.mean ?? result?.values[key], score?.deviation];
    }),
  ];
}

function toJson(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(comparableOutput(value));
}

function toCsv(rows: readonly unknown[][]): string {
  return Papa.unparse([...rows], { escapeFormulae: FORMULA });
}
