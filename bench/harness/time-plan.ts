import type { Measurement } from './measurement.ts';
import type { SubjectName } from './subject.ts';

export interface TimePlanOptions {
  readonly measurements: readonly Measurement[];
  readonly subjects: readonly SubjectName[];
  /** Maximum turns of each subject. */
  readonly rounds: number;
  /** Seconds for everything. */
  readonly seconds: number;
}

/**
 * Divides the time there is among the measurements: all make the same number of rounds, and fewer on a slow machine, which
 * shows in the measurements before.
 */
export class TimePlan {
  readonly #options: TimePlanOptions;
  /** Seconds that the measurements made so far have taken, and would have taken on the machine of `Measurement.takes`. */
  #taken = 0;
  #expected = 0;

  constructor(options: TimePlanOptions) {
    this.#options = options;
  }

  /** How many rounds a measurement can make, when all from it on make as many. */
  rounds(next: Measurement): number {
    const { measurements, rounds, seconds } = this.#options;
    const remaining = measurements.slice(measurements.indexOf(next));
    const left = (seconds - this.#taken) / this.#slowness - this.#sum(remaining, 0);
    const each = this.#sum(remaining, 1) - this.#sum(remaining, 0);
    return each === 0 ? rounds : Math.max(1, Math.min(rounds, Math.floor(left / each)));
  }

  /** Seconds that a measurement, or all of them, will take. */
  seconds(rounds: number, measurements: readonly Measurement[] = this.#options.measurements): number {
    return this.#sum(measurements, rounds) * this.#slowness;
  }

  /** A measurement has taken some seconds. */
  took(measurement: Measurement, rounds: number, seconds: number): void {
    this.#taken += seconds;
    this.#expected += this.#sum([measurement], rounds);
  }

  /** Compared with the machine whose times are known. */
  get #slowness(): number {
    return this.#expected === 0 ? 1 : this.#taken / this.#expected;
  }

  #sum(measurements: readonly Measurement[], rounds: number): number {
    return measurements
      .flatMap((measurement) => this.#options.subjects.map((subject) => measurement.takes(subject)))
      .reduce((total, { once, round }) => total + once + round * rounds, 0);
  }
}
