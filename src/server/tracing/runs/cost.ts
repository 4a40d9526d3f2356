/** The cost of a run in the public interface: decimal text. A cost of 0 is a cost; null is none. */
export function cost(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  return value.toFixed(12).replace(/\.?0+$/, '');
}

/**
 * The sum of costs. It is also 0 if nothing has a price, and then there is no cost.
 * @param own the run's own cost, which decides whether 0 is a cost.
 */
export function costSum(value: number | null | undefined, own: number | null = null): string | null {
  return value === 0 && own === null ? null : cost(value);
}
