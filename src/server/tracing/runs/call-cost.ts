import type { Priced } from '../../../contract/tracing/priced.ts';
import { isObject } from '../../../process/objects.ts';
import { factsOf } from '../prices/call-facts.ts';
import type { PriceBook, PricedProject } from '../prices/price-book.ts';
import { costsOf, priceRun } from '../prices/price-run.ts';
import { readUsage } from '../prices/read-usage.ts';
import { type Usage, usageOf, usageSource } from './usage.ts';

/** A model call that has ended. */
interface EndedCall {
  readonly metadata: unknown;
  readonly outputs: unknown;
  /** The `extra` of the run, which is read only if the call has to be priced. */
  extra(): unknown;
  /** Microseconds. */
  readonly startTime: number;
  readonly project: PricedProject;
}

/**
 * Determines the usage and the cost of a model call: the cost that the call reports, or else one based on a price that
 * the platform knows. @returns undefined when the call reports no usage.
 */
export function determineUsage(
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

/** A model call that a runtime reports while its run is going on, in the form that LangChain's tracer sends. */
interface ReportedCall {
  readonly extra: unknown;
  readonly outputs: unknown;
  /** Microseconds. */
  readonly startTime: number;
}

/** Computes the costs of calls that have not been traced yet, using a project's prices. */
export class CallPrices {
  readonly #book: PriceBook;
  readonly #project: PricedProject;
  constructor(book: PriceBook, project: PricedProject) {
    this.#book = book;
    this.#project = project;
  }

  /** @returns the cost in dollars; undefined when there is no price. */
  costOf(call: ReportedCall): number | undefined {
    const metadata = isObject(call.extra) ? call.extra.metadata : undefined;
    const extra = () => call.extra;
    const known = determineUsage(this.#book, { ...call, metadata, extra, project: this.#project });
    return known?.usage.totalCost ?? undefined;
  }

  /** The names by which the price of a call is looked up; the model is empty if the call does not name it. */
  nameOf({ extra, outputs }: ReportedCall): {
    readonly provider: string | undefined;
    readonly model: string;
  } {
    const { provider, models } = factsOf(extra, outputs);
    return { provider, model: models[0] ?? '' };
  }
}
