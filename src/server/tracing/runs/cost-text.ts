/** Formats the cost of a run for the public interface, as decimal text. 0 is a cost; null means that there is none. */
export function costText(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  return value.toFixed(12).replace(/\.?0+$/, '');
}

/**
 * Formats a sum of costs as decimal text. A sum of 0 may mean that nothing has a price; then the result is null.
 * @param own the run's own cost: if the run has one, 0 is a cost.
 */
export function costSumText(value: number | null | undefined, own: number | null = null): string | null {
  return value === 0 && own === null ? null : costText(value);
}
