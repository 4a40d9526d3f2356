import type { Colors } from '../terminal/colors.ts';
import { printable } from '../terminal/printable.ts';

/** JSON up to this length stays on the line of its field. */
const MAX_INLINE_CHARS = 60;

/**
 * A resource as lines, one per field. Large objects are indented JSON over several lines; empty fields are
 * left out.
 */
export function details(fields: Readonly<Record<string, unknown>>, colors: Colors): string[] {
  const set = Object.entries(fields).filter(([, value]) => !isEmpty(value));
  const label = Math.max(0, ...set.map(([name]) => name.length)) + 2;
  return set.flatMap(([name, value]) => {
    const title = colors.dim(printable(name).padEnd(label));
    if (typeof value !== 'object') return [`${title}${String(value)}`];
    const compact = JSON.stringify(value);
    if (compact.length <= MAX_INLINE_CHARS) return [`${title}${compact}`];
    const [first = '', ...rest] = JSON.stringify(value, undefined, 2).split('\n');
    return [`${title}${first}`, ...rest.map((line) => `${' '.repeat(label)}${line}`)];
  });
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
