import type { Row } from './waterfall.ts';

/** The action of a key in the tree. */
export type KeyAction =
  | { readonly type: 'select'; readonly index: number }
  | { readonly type: 'fold' | 'unfold'; readonly id: string }
  | { readonly type: 'unfold-siblings'; readonly id: string };

/** The keys of a tree, following ARIA's authoring practices. `undefined` for other keys. */
export function keyAction(
  rows: readonly Row[],
  index: number,
  key: string,
  pageSize: number,
): KeyAction | undefined {
  const row = rows[index];
  if (row === undefined) return rows.length > 0 ? { type: 'select', index: 0 } : undefined;
  const { id } = row.node.span;
  const to = (wanted: number): KeyAction => ({
    type: 'select',
    index: Math.max(0, Math.min(rows.length - 1, wanted)),
  });
  switch (key) {
    case 'ArrowDown':
      return to(index + 1);
    case 'ArrowUp':
      return to(index - 1);
    case 'PageDown':
      return to(index + pageSize);
    case 'PageUp':
      return to(index - pageSize);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      if (row.isUnfolded === undefined) return undefined;
      return row.isUnfolded ? to(index + 1) : { type: 'unfold', id };
    case 'ArrowLeft': {
      if (row.isUnfolded) return { type: 'fold', id };
      const parent = rows.findIndex(({ node }) => node === row.node.parent);
      return parent < 0 ? undefined : to(parent);
    }
    case '*':
      return { type: 'unfold-siblings', id };
    default:
      return undefined;
  }
}
