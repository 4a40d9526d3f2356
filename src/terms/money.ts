/** An amount in cents, or below ten cents with two significant digits: `$1.30`, `$0.0042`. */
export function money(dollars: number): string {
  return `$${dollars < 0.1 ? dollars.toLocaleString('en', { maximumSignificantDigits: 2 }) : dollars.toFixed(2)}`;
}

/** Dollars, which the interface gives as text or as a number; undefined when there is no price. */
export function dollarsOf(cost: unknown): number | undefined {
  const dollars = typeof cost === 'string' ? Number(cost) : cost;
  return typeof dollars === 'number' && Number.isFinite(dollars) ? dollars : undefined;
}

/** The text of a cost, even of 0; empty when there is none. */
export function costText(cost: unknown): string {
  const dollars = dollarsOf(cost);
  return dollars === undefined ? '' : money(dollars);
}
