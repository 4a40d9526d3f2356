import type { Metric } from './metric-text.ts';

/** Counts events since the server started, by one label. */
export class Counter<Value extends string> {
  readonly #name: string;
  readonly #help: string;
  readonly #label: string;
  readonly #counts: Map<Value, number>;

  constructor(name: string, help: string, { label, values }: { label: string; values: readonly Value[] }) {
    this.#name = name;
    this.#help = help;
    this.#label = label;
    this.#counts = new Map(values.map((value) => [value, 0]));
  }

  count(value: Value, times = 1): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + times);
  }

  read(): Metric {
    const samples = [...this.#counts].map(([value, count]) => ({
      labels: { [this.#label]: value },
      value: count,
    }));
    return { name: this.#name, type: 'counter', help: this.#help, samples };
  }
}
