/**
 * Matches cells that a spreadsheet would take for a formula. They are exported with an apostrophe before
 * them, which is removed when the file is read again. Numbers, including negative ones, are not formulas.
 */
export const FORMULA = /^(?!-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$)'*[=+\-@\t\r]/;

/** The content that a cell had before it was exported. */
export function withoutApostrophe<Value>(cell: Value): Value | string {
  return typeof cell === 'string' && /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}
