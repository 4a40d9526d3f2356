/** A number of things: `1 trace`, `1,200 traces`. @param noun in the singular; its plural ends with `s` */
export function formatCount(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
