/** `$0.0042`, `$1.30`. */
export function money(dollars: number): string {
  return `$${dollars < 0.1 ? Number(dollars.toPrecision(2)) : dollars.toFixed(2)}`;
}
