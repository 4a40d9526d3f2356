/** The cost of a run, as the public interface has it: decimal text. A cost of 0 is one; null is none. */
export function cost(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  return value.toFixed(12).replace(/\.?0+$/, '');
}

/**
 * The sum of costs, which is 0 too when nothing in it has a price: then it is none.
 * @param own the cost of what sums up the others, which tells whether 0 is one.
 */
export function costSum(value: number | null | undefined, own: number | null = null): string | null {
  return value === 0 && own === null ? null : cost(value);
}
