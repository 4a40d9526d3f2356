import { z } from 'zod';
import { Match } from './match-text.ts';
import { PRICE_UNITS } from './units.ts';

/** A price in dollars per unit; with tiers, it depends on the size of the whole input. */
export const Price = z.union([
  z.number().min(0),
  z.object({
    base: z.number().min(0),
    tiers: z.array(z.object({ start: z.number().min(0), price: z.number().min(0) })),
  }),
]);
export type Price = z.output<typeof Price>;

export const Prices = z.record(
  z.string().refine((unit) => Object.hasOwn(PRICE_UNITS, unit), {
    error: ({ input }) =>
      `"${String(input)}" is not a unit; units are ${Object.keys(PRICE_UNITS).join(', ')}`,
  }),
  Price,
);
export type Prices = z.output<typeof Prices>;

/** Prices with the time during which they apply: from a date, or between two times of each day (UTC). */
const Period = z.object({
  start_date: z.string().optional(),
  start_time: z.string().optional(),
  end_time: z.string().optional(),
  prices: Prices,
});

/** The bundled prices: data of `@pydantic/genai-prices`, written by `scripts/model-prices.ts`. */
export const BundledPrices = z.object({
  source: z.string(),
  version: z.string(),
  /** When this version of the data was published. */
  date: z.string(),
  providers: z.array(
    z.object({
      id: z.string(),
      model_match: Match.optional(),
      provider_match: Match.optional(),
      fallback_model_providers: z.array(z.string()).optional(),
      models: z.array(z.unknown()),
    }),
  ),
});
export type BundledPrices = z.output<typeof BundledPrices>;

const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2026-01-31');

/** The models of a provider; the first one that matches applies. */
export const BundledModels = z.array(z.object({ id: z.string(), match: Match, prices: z.array(Period) }));
export type BundledModels = z.output<typeof BundledModels>;

/** A user's `prices.json`. */
export const CustomPrices = z.strictObject({
  models: z.array(
    z.strictObject({
      /** The name of the model; `*` matches any characters. */
      model: z.string().min(1),
      /** Limits the prices to calls to this provider, by its name in traces. */
      provider: z.string().min(1).optional(),
      /** The first day on which the prices apply, and the first on which they no longer do. */
      from: Day.optional(),
      until: Day.optional(),
      prices: Prices,
      /** Factors by which the prices are multiplied in a service tier, such as `{"priority": 2}`. */
      service_tiers: z.record(z.string(), z.number().min(0)).optional(),
    }),
  ),
});
export type CustomPrices = z.output<typeof CustomPrices>;

type Period = z.output<typeof Period>;

/** The prices at a time: those of the last period that contains it, or else of the first period. */
export function pricesAt(periods: readonly Period[], time: Date): Prices | undefined {
  return (periods.findLast((period) => isIn(period, time)) ?? periods[0])?.prices;
}

function isIn({ start_date, start_time, end_time }: Period, time: Date): boolean {
  if (start_date !== undefined) return time.getTime() >= Date.parse(`${start_date}T00:00:00Z`);
  if (start_time === undefined || end_time === undefined) return true;
  const now = time.toISOString().slice(11, 19);
  const [start, end] = [toUtc(start_time), toUtc(end_time)];
  return end < start ? now >= start || now < end : now >= start && now < end;
}

/** Converts a time of day with an offset, such as `00:30:00+08:00`, to UTC. */
function toUtc(time: string): string {
  return new Date(Date.parse(`2026-01-02T${time}`)).toISOString().slice(11, 19);
}
