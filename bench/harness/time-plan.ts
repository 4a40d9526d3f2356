import type { Measurement } from './measurement.ts';
import type { SubjectName } from './subject.ts';

export interface TimePlanOptions {
  readonly measurements: readonly Measurement[];
  readonly subjects: readonly SubjectName[];
  /** Maximum turns of each subject. */
  readonly rounds: number;
  /** Seconds for all measurements together. */
  readonly seconds: number;
}

/**
 * Divides the available time among the measurements: all make the same number of rounds, fewer on a slow machine, as
 * earlier measurements have shown.
 */
export class TimePlan {
  readonly #options: TimePlanOptions;
  /** Seconds that the measurements so far have taken, and would have taken on the machine of `Measurement.takes`. */
  #taken = 0;
  #expected = 0;

  constructor(options: TimePlanOptions) {
    this.#options = options;
  }

  /** How many rounds a measurement can make if all later ones make as many. */
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

  /** Notes how many seconds a measurement has taken. */
  took(measurement: Measurement, rounds: number, seconds: number): void {
    this.#taken += seconds;
    this.#expected += this.#sum([measurement], rounds);
  }

  /** How much slower this machine is than the one whose times are known. */
  get #slowness(): number {
    return this.#expected === 0 ? 1 : this.#taken / this.#expected;
  }

  #sum(measurements: readonly Measurement[], rounds: number): number {
    return measurements
      .flatMap((measurement) => this.#options.subjects.map((subject) => measurement.takes(subject)))
      .reduce((total, { once, round }) => total + once + round * rounds, 0);
  }
}
