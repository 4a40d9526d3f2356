import type { Priced } from '../../../contract/tracing/priced.ts';
import { factsOf } from './call-facts.ts';
import type { PriceBook, PricedProject } from './price-book.ts';
import type { TokenUsage } from './read-usage.ts';

/** The facts about a run that determine its price. */
interface RunToPrice {
  readonly usage: TokenUsage;
  readonly extra: unknown;
  readonly outputs: unknown;
  /** Microseconds since 1970. */
  readonly startTime: number;
  readonly project: PricedProject;
}

/** Finds the price of a run. @returns undefined when there is no price for the run, or it used no tokens. */
export function priceRun(book: PriceBook, run: RunToPrice): Priced | undefined {
  const { usage } = run;
  if ((usage.total ?? 0) === 0) return undefined;
  return book.price({
    usage,
    facts: factsOf(run.extra, run.outputs),
    time: new Date(run.startTime / 1000),
    project: run.project,
  });
}

/** The sums of price items, in the form in which runs have them. */
export function costsOf({ items }: Priced): {
  readonly promptCost: number;
  readonly completionCost: number;
  readonly totalCost: number;
} {
  const sum = (some: typeof items) => some.reduce((total, { cost }) => total + cost, 0);
  return {
    promptCost: sum(items.filter(({ direction }) => direction === 'input')),
    completionCost: sum(items.filter(({ direction }) => direction === 'output')),
    totalCost: sum(items),
  };
}
