/**
 * Cells that a spreadsheet would take for a formula are exported with an apostrophe before them, and lose it when the
 * file is read again. Plain numbers, including negative ones, stay unchanged.
 */
export const FORMULA = /^(?!-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$)'*[=+\-@\t\r]/;

/** The content that a cell had before it was exported. */
export function withoutApostrophe<Value>(cell: Value): Value | string {
  return typeof cell === 'string' && /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}
