import type { PriceItem } from '../../../contract/tracing/priced.ts';
import type { Prices } from './model-price.ts';
import type { TokenUsage } from './read-usage.ts';
import { type Direction, PRICE_UNITS } from './units.ts';

/**
 * Computes the price items of a call, general ones first: each token is charged once, at the price of its most
 * specific unit.
 * @param factor the factor for the service tier.
 * @returns undefined when the model has no price for some of the used tokens, or the counts contradict each other.
 */
export function priceCall(usage: TokenUsage, prices: Prices, factor: number): PriceItem[] | undefined {
  const units = unitsOf(prices);
  for (const direction of ['input', 'output'] as const) {
    const isPriced = units.some((unit) => unit.direction === direction && unit.marks.length === 0);
    if (!isPriced && (usage[direction] ?? 0) > 0) return undefined;
  }
  const counted: {
    readonly marks: readonly string[];
    readonly direction?: Direction;
    readonly count: number;
  }[] = [];
  const items: PriceItem[] = [];
  for (const { direction, marks, per, price } of units) {
    const within = counted.filter(
      (other) => other.direction === direction && marks.every((part) => other.marks.includes(part)),
    );
    // Tokens of more specific units have been charged already; searches and requests do not overlap.
    const charged = direction === undefined ? 0 : within.reduce((sum, other) => sum + other.count, 0);
    const count = countOf(usage, direction, marks) - charged;
    if (count < 0) return undefined;
    counted.push({ marks, ...(direction && { direction }), count });
    if (count === 0) continue;
    const unitPrice = factor * (typeof price === 'number' ? price : priceInTier(price, usage.input ?? 0));
    items.push({
      kind: marks.join('_') || (direction ?? ''),
      ...(direction && { direction }),
      count,
      price: unitPrice,
      cost: (unitPrice * count) / per,
    });
  }
  return items.reverse();
}

/** The units with their prices, most specific first. */
function unitsOf(prices: Prices) {
  const known = sorted.get(prices) ?? sortUnits(prices);
  sorted.set(prices, known);
  return known;
}

function sortUnits(prices: Prices) {
  return Object.entries(prices)
    .flatMap(([key, price]) => {
      const unit = PRICE_UNITS[key];
      return unit === undefined ? [] : [{ ...unit, price }];
    })
    .toSorted((a, b) => b.marks.length - a.marks.length);
}

/** Sorted units are cached, because price lists are read once and used for many calls. */
const sorted = new WeakMap<Prices, ReturnType<typeof sortUnits>>();

/** How many tokens, searches or requests a call used, including those of more specific units. */
function countOf(usage: TokenUsage, direction: Direction | undefined, marks: readonly string[]): number {
  if (direction === undefined) return marks[0] === 'requests' ? 1 : usage.webSearches;
  const details = direction === 'input' ? usage.inputDetails : usage.outputDetails;
  const detail = (name: string) => details[name] ?? 0;
  const hour = detail('ephemeral_1h_input_tokens');
  switch (marks.join('_')) {
    case '':
      return usage[direction] ?? 0;
    case 'cache_creation':
      return Math.max(detail('cache_creation'), detail('ephemeral_5m_input_tokens') + hour);
    case 'cache_creation_1h':
      return hour;
    default:
      return detail(marks.join('_'));
  }
}

/** The price of the highest tier whose start the whole input exceeds, or else the base price. */
function priceInTier(
  { base, tiers }: { base: number; tiers: readonly { start: number; price: number }[] },
  input: number,
): number {
  const reached = tiers.filter(({ start }) => input > start);
  return reached.toSorted((a, b) => a.start - b.start).at(-1)?.price ?? base;
}
