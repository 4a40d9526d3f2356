/** Costs are decimal text in the public interface. The sum of a trace is 0 when nothing in it has a price. */
export function cost(value: number | null | undefined): string | null {
  if (value === null || value === undefined || value === 0) return null;
  return value.toFixed(12).replace(/\.?0+$/, '');
}
