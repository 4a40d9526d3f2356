import { markdownTable } from 'markdown-table';
import { quantile } from 'simple-statistics';

/** One line of the results: what was measured, the result, and the aim. */
export interface Line {
  readonly question: string;
  readonly result: string;
  readonly aim?: string;
}

export function printLines(lines: readonly Line[]): void {
  console.log(
    markdownTable([
      ['', 'measured', 'aim'],
      ...lines.map(({ question, result, aim = '' }) => [question, result, aim]),
    ]),
  );
}

export const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
export const p50 = (values: readonly number[]) => quantile([...values], 0.5);
export const p99 = (values: readonly number[]) => quantile([...values], 0.99);
