/**
 * The rows a command of a tree is about: those that are selected when the row it was called from is one of them, else
 * that row alone. VS Code hands over both.
 */
export function selectedRows(given: unknown, selected: unknown): readonly unknown[] {
  if (Array.isArray(selected) && selected.length > 0) return selected;
  return given === undefined ? [] : [given];
}
