import type { Labels, Metric, Sample } from './metric-text.ts';

/** The upper bounds of buckets, in seconds, for requests and queries. */
const SHORT_WORK_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** The upper bounds of buckets, in seconds, for longer work, such as builds. */
export const LONG_WORK_BOUNDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

interface Series {
  readonly labels: Labels;
  /** The number of observations in each bucket, excluding those in lower buckets; the last bucket has no bound. */
  readonly counts: number[];
  sum: number;
}

/** The values of the labels of a histogram. */
type Values<Of extends Readonly<Record<string, string>>> = {
  readonly [Name in keyof Of & string]: Of[Name];
};

/** Counts durations since the server started, in Prometheus buckets. `Of` has the labels and their possible values. */
export class Histogram<Of extends Readonly<Record<string, string>> = Readonly<Record<never, never>>> {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(name: string, help: string, bounds: readonly number[] = SHORT_WORK_BOUNDS) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(seconds: number, labels: Values<Of>): void {
    const series = this.#seriesOf(labels);
    // The clock may have been set back.
    const value = Math.max(0, seconds);
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    const index = bucket === -1 ? this.#bounds.length : bucket;
    series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.sum += value;
  }

  /** Runs work, and observes how long it takes. @param labels returns the labels, which may depend on the work's error. */
  async time<Result>(work: () => Promise<Result>, labels: (error?: unknown) => Values<Of>): Promise<Result> {
    const since = performance.now();
    try {
      const result = await work();
      this.observe((performance.now() - since) / 1_000, labels());
      return result;
    } catch (error) {
      this.observe((performance.now() - since) / 1_000, labels(error));
      throw error;
    }
  }

  /** The samples of the metric. @param more labels to add to all samples. */
  samples(more: Labels = {}): Sample[] {
    return [...this.#series.values()].flatMap((series) => this.#samplesOf(series, more));
  }

  /** The metric, with its own samples unless others are given. */
  read(samples = this.samples()): Metric {
    return { name: this.#name, type: 'histogram', help: this.#help, samples };
  }

  #samplesOf({ labels: own, counts, sum }: Series, more: Labels): Sample[] {
    const labels = { ...more, ...own };
    let count = 0;
    const buckets = [...this.#bounds, '+Inf'].map((bound, index) => {
      count += counts[index] ?? 0;
      return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: count };
    });
    return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }];
  }

  #seriesOf(labels: Values<Of>): Series {
    const key = Object.values(labels).join('\n');
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const series: Series = {
      labels,
      counts: [...this.#bounds, Number.POSITIVE_INFINITY].map(() => 0),
      sum: 0,
    };
    this.#series.set(key, series);
    return series;
  }
}
