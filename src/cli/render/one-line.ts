import { printable } from '../terminal/printable.ts';

/** A value on one line: text unchanged, other values as JSON. If it is longer than `width`, it is cut. */
export function oneLine(value: unknown, width?: number): string {
  const text = printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return width === undefined || text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
