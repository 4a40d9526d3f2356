import { max, mean, min, quantile } from 'simple-statistics';
import type { SubjectName } from './subject.ts';

export type Unit = 'ms' | 'MB' | 'runs/s' | 'events/s';

/** Whether higher values are better. */
export function isRate(unit: Unit): boolean {
  return unit === 'runs/s' || unit === 'events/s';
}

/** The project's target for `ours`: an absolute bound, or a multiple of another subject's value. */
export interface RowTarget {
  readonly bound: 'at most' | 'at least';
  readonly value: number;
  readonly times?: SubjectName;
}

export interface RowSpec {
  readonly title: string;
  readonly unit: Unit;
  readonly target?: RowTarget;
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

  /** @returns whether `ours` met its target; undefined without a target or without the necessary values */
  isTargetMet(): boolean | undefined {
    const { target } = this.spec;
    if (!target) return undefined;
    const value = target.times ? this.ratio('ours', target.times) : this.summary('ours')?.p50;
    if (value === undefined) return undefined;
    return target.bound === 'at most' ? value <= target.value : value >= target.value;
  }
}
