import type { Bench } from './bench.ts';
import type { Row } from './row.ts';
import { hasThreads, type SubjectName } from './subject.ts';

/** Seconds on two quiet cores. */
export interface Takes {
  /** Start, warm-up, and everything else that is done once. */
  readonly once: number;
  readonly round: number;
}

/** A measurement of some or all subjects, in the file `<name>.ts`. */
export interface Measurement {
  readonly name: string;
  /** The time that a subject takes; zero if the measurement leaves the subject out. */
  takes(subject: SubjectName): Takes;
  run(bench: Bench): Promise<Row[]>;
}

/** A measurement in turns. The peer starts slowly, and its runs end half a second late. */
export function turns(once: number, round: number, peer: Takes): Measurement['takes'] {
  return (subject) => (subject === 'peer' ? peer : { once, round });
}

/** A measurement that is made once, and only of servers that keep threads, without traces. */
export function onlyServers(ours: number, peer: number): Measurement['takes'] {
  return (subject) => ({ once: hasThreads(subject) ? (subject === 'peer' ? peer : ours) : 0, round: 0 });
}
