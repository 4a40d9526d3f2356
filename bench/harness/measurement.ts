import type { Bench } from './bench.ts';
import type { Row } from './row.ts';

/** A measurement of every subject, in a file of the same name. */
export interface Measurement {
  readonly name: string;
  run(bench: Bench): Promise<Row[]>;
}
