/**
 * The rows that a command of a tree is about: the selected ones, or the single row that it was called on. VS
 * Code passes a selection only if that row is part of it.
 */
export function selectedRows(argument: unknown, selected: unknown): readonly unknown[] {
  if (Array.isArray(selected) && selected.length > 0) return selected;
  return argument === undefined ? [] : [argument];
}

/** A class of rows. */
export type RowKind = abstract new (...args: never[]) => object;

/**
 * The rows of these kinds that a command is about, first the one it was called on.
 * @returns `lost` if VS Code passed nothing for a row, because it is reading that part of the tree again
 */
export function rowsOfKind<Kind extends RowKind>(
  kinds: readonly Kind[],
  argument: unknown,
  selected: unknown,
): readonly InstanceType<Kind>[] | 'lost' {
  // A key binding passes a selection, even an empty one. A menu that passes nothing at all has lost its row.
  const isLost = argument === undefined && !Array.isArray(selected);
  const rows = selectedRows(argument, selected);
  if (isLost || rows.includes(undefined)) return 'lost';
  return [argument, ...rows.filter((row) => row !== argument)].filter((row) => isOfKind(kinds, row));
}

function isOfKind<Kind extends RowKind>(kinds: readonly Kind[], row: unknown): row is InstanceType<Kind> {
  return kinds.some((kind) => row instanceof kind);
}
