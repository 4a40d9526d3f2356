import { markdownTable } from 'markdown-table';
import { quantile } from 'simple-statistics';

/** One line of the results: the name of the measurement, the result, and the target. */
export interface Line {
  readonly question: string;
  readonly result: string;
  readonly target?: string;
}

export function printLines(lines: readonly Line[]): void {
  console.log(
    markdownTable([
      ['', 'measured', 'target'],
      ...lines.map(({ question, result, target = '' }) => [question, result, target]),
    ]),
  );
}

export const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
export const p50 = (values: readonly number[]) => quantile([...values], 0.5);
export const p99 = (values: readonly number[]) => quantile([...values], 0.99);
