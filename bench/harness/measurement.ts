import type { Bench } from './bench.ts';
import type { Row } from './row.ts';

/** One question asked of every subject; it has a file of its own, named like it. */
export interface Measurement {
  readonly name: string;
  run(bench: Bench): Promise<Row[]>;
}
