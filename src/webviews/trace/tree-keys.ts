import { rowOfKey } from '../shared/grid/grid-keys.ts';
import type { Row } from './rows.ts';

/** The action of a key in the tree; `index` is the position of a row. */
type KeyAction =
  | { readonly type: 'select'; readonly index: number }
  | { readonly type: 'fold' | 'unfold'; readonly id: string }
  | { readonly type: 'unfold-siblings'; readonly id: string };

/**
 * The action of a key, following ARIA's authoring practices for trees.
 * @param index the position of the selected row; -1 for none
 * @param pageSize the number of rows that Page Up and Page Down move by
 * @returns `undefined` for keys without an action
 */
export function keyAction(
  rows: readonly Row[],
  index: number,
  key: string,
  pageSize: number,
): KeyAction | undefined {
  const target = rowOfKey(key, { index, count: rows.length, pageSize });
  if (target !== undefined) return { type: 'select', index: target };
  const row = rows[index];
  if (row === undefined) return undefined;
  const { id } = row.node.span;
  switch (key) {
    case 'ArrowRight':
      if (row.isUnfolded === undefined) return undefined;
      // The first child is the next row.
      return row.isUnfolded ? { type: 'select', index: index + 1 } : { type: 'unfold', id };
    case 'ArrowLeft': {
      if (row.isUnfolded) return { type: 'fold', id };
      const parent = rows.findIndex(({ node }) => node === row.node.parent);
      return parent < 0 ? undefined : { type: 'select', index: parent };
    }
    case '*':
      return { type: 'unfold-siblings', id };
    default:
      return undefined;
  }
}
