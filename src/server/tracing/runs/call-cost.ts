import type { Priced } from '../../../contract/tracing/priced.ts';
import { isObject } from '../../../process/objects.ts';
import { factsOf } from '../prices/call-facts.ts';
import type { PriceBook, PricedProject } from '../prices/price-book.ts';
import { costsOf, priceRun } from '../prices/price-run.ts';
import { readUsage } from '../prices/read-usage.ts';
import { type Usage, usageOf, usageSource } from './usage.ts';

/** A model call that has ended. */
export interface EndedCall {
  readonly metadata: unknown;
  readonly outputs: unknown;
  /** Read only if the call has to be priced. */
  extra(): unknown;
  /** Microseconds. */
  readonly startTime: number;
  readonly project: PricedProject;
}

/**
 * The usage and the cost of a model call: those that it reports, or else by a price that the platform knows.
 * @returns undefined when it reports no usage.
 */
export function usageAndPrice(
  book: PriceBook,
  { metadata, outputs, extra, startTime, project }: EndedCall,
): { readonly usage: Usage; readonly priced: Priced | undefined } | undefined {
  const source = usageSource(metadata, outputs);
  if (source === undefined) return undefined;
  const tokens = readUsage(source);
  const usage = usageOf(source, tokens);
  if (usage.totalCost !== null) return { usage, priced: undefined };
  const priced = priceRun(book, { usage: tokens, extra: extra(), outputs, startTime, project });
  return { usage: priced === undefined ? usage : { ...usage, ...costsOf(priced) }, priced };
}

/** A model call that a runtime reports, in the form in which LangChain's tracer would send it. */
interface ToldCall {
  readonly extra: unknown;
  readonly outputs: unknown;
  /** Microseconds. */
  readonly startTime: number;
}

/** The prices of a project's traces, for calls that have not been traced yet. */
export class CallPrices {
  readonly #book: PriceBook;
  readonly #project: PricedProject;
  constructor(book: PriceBook, project: PricedProject) {
    this.#book = book;
    this.#project = project;
  }

  /** @returns dollars; undefined when there is no price. */
  costOf(call: ToldCall): number | undefined {
    const metadata = isObject(call.extra) ? call.extra.metadata : undefined;
    const extra = () => call.extra;
    const known = usageAndPrice(this.#book, { ...call, metadata, extra, project: this.#project });
    return known?.usage.totalCost ?? undefined;
  }

  /** The names by which a price is looked up. */
  nameOf({ extra, outputs }: ToldCall): { readonly provider: string | undefined; readonly model: string } {
    const { provider, models } = factsOf(extra, outputs);
    return { provider, model: models[0] ?? '' };
  }
}
