/** `1 trace`, `1,200 traces`. */
export function formatCount(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}
