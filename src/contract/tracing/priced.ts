import { z } from 'zod';

/** One item in the cost of a model call. */
export const PriceItem = z.looseObject({
  /** `input`, `output`, or a part of them with a separate price, such as `cache_read`. */
  kind: z.string(),
  /** Absent for items that are neither input nor output, such as a web search. */
  direction: z.enum(['input', 'output']).optional(),
  count: z.number(),
  /** Dollars for a million tokens, or for a thousand units of anything else. */
  price: z.number(),
  /** Dollars. */
  cost: z.number(),
});
export type PriceItem = z.output<typeof PriceItem>;

/** The itemized cost of a model call, at a price that the platform knows. */
export const Priced = z.looseObject({
  /** The model as the price list names it, with its provider. */
  model: z.string(),
  /** The price list: `prices.json`, or the bundled data with its version. */
  from: z.string(),
  items: z.array(PriceItem),
});
export type Priced = z.output<typeof Priced>;
