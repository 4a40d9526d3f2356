/**
 * The rows that a command of a tree is about: the selected ones if the row it was called from is among them, else
 * that row alone. VS Code passes both.
 */
export function selectedRows(argument: unknown, selected: unknown): readonly unknown[] {
  if (Array.isArray(selected) && selected.length > 0) return selected;
  return argument === undefined ? [] : [argument];
}

/** A class of rows. */
export type RowKind = abstract new (...args: never[]) => object;

/**
 * The rows of some kinds that a command is about, the one it was called on first.
 * @returns `lost` when VS Code passed nothing for a row, because it is reading that part of the tree again.
 */
export function rowsOfKind<Kind extends RowKind>(
  kinds: readonly Kind[],
  argument: unknown,
  selected: unknown,
): readonly InstanceType<Kind>[] | 'lost' {
  // Called by a key with nothing selected, a command gets an empty selection; from a menu, nothing or the rows.
  const isLost = argument === undefined && !Array.isArray(selected);
  const rows = selectedRows(argument, selected);
  if (isLost || rows.includes(undefined)) return 'lost';
  return [argument, ...rows.filter((row) => row !== argument)].filter((row) => isOfKind(kinds, row));
}

function isOfKind<Kind extends RowKind>(kinds: readonly Kind[], row: unknown): row is InstanceType<Kind> {
  return kinds.some((kind) => row instanceof kind);
}
