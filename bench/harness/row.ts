import { max, mean, min, quantile } from 'simple-statistics';
import type { SubjectName } from './subject.ts';

export type Unit = 'ms' | 'MB' | 'runs/s' | 'events/s';

/** Whether more of it is better. */
export function isRate(unit: Unit): boolean {
  return unit === 'runs/s' || unit === 'events/s';
}

/** The project's aim for `ours`: an absolute bound, or a multiple of another subject's value. */
export interface Aim {
  readonly bound: 'at most' | 'at least';
  readonly value: number;
  readonly times?: SubjectName;
}

export interface RowSpec {
  readonly title: string;
  readonly unit: Unit;
  readonly aim?: Aim;
}

export interface Summary {
  readonly n: number;
  readonly min: number;
  readonly p50: number;
  readonly mean: number;
  /** The 99th percentile: 99 of 100 samples are this good or better. Absent below 100 samples. */
  readonly p99?: number;
  readonly max: number;
}

/** One line of the results: the same quantity, measured for every subject. */
export class Row {
  readonly spec: RowSpec;
  readonly #samples = new Map<SubjectName, number[]>();

  constructor(spec: RowSpec) {
    this.spec = spec;
  }

  add(subject: SubjectName, value: number): void {
    const samples = this.#samples.get(subject);
    if (samples) samples.push(value);
    else this.#samples.set(subject, [value]);
  }

  summary(subject: SubjectName): Summary | undefined {
    const samples = this.#samples.get(subject);
    if (!samples) return undefined;
    return {
      n: samples.length,
      min: min(samples),
      p50: quantile(samples, 0.5),
      mean: mean(samples),
      ...(samples.length >= 100 && { p99: quantile(samples, isRate(this.spec.unit) ? 0.01 : 0.99) }),
      max: max(samples),
    };
  }

  /** @returns the median of `subject` as a multiple of that of `other`, if both are above zero */
  ratio(subject: SubjectName, other: SubjectName): number | undefined {
    const [above, below] = [this.summary(subject)?.p50, this.summary(other)?.p50];
    return above && below && above > 0 && below > 0 ? above / below : undefined;
  }

  /** @returns whether `ours` reached its aim; undefined without an aim or without the values to tell */
  aimReached(): boolean | undefined {
    const { aim } = this.spec;
    if (!aim) return undefined;
    const value = aim.times ? this.ratio('ours', aim.times) : this.summary('ours')?.p50;
    if (value === undefined) return undefined;
    return aim.bound === 'at most' ? value <= aim.value : value >= aim.value;
  }
}
