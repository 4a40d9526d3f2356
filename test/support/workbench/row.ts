/** A row of a tree view. */
export interface Row {
  /** The depth of the row, 1 at the root. */
  readonly level: number;
  readonly label: string;
  readonly description: string;
  /** The name of its codicon; empty without one. */
  readonly icon: string;
  /** `undefined` when it has nothing below it. */
  readonly isExpanded: boolean | undefined;
  readonly isSelected: boolean;
}

/**
 * Identifies a row by its label, or by the end of its path: `['Apple', 'Core']` is the Core directly below an
 * Apple. If several match, the first one.
 */
export type RowPath = string | readonly string[];

/** The index of the row with a path; `undefined` when it is not there. */
export function rowAt(rows: readonly Row[], path: RowPath): number | undefined {
  const labels = typeof path === 'string' ? [path] : path;
  const ancestors: string[] = [];
  const index = rows.findIndex((row) => {
    ancestors.splice(row.level - 1);
    ancestors.push(row.label);
    const end = ancestors.slice(-labels.length);
    return end.length === labels.length && end.every((label, n) => label === labels[n]);
  });
  return index < 0 ? undefined : index;
}

/**
 * A tree as text, as tests compare it: two spaces per level, `▾` unfolded, `▸` folded, `-` neither, then the label, and
 * after a middle dot the description.
 *
 * ``` ▾ Apple · red
 * - Core · hard
 * - Banana ```
 */
export function treeText(rows: readonly Row[]): string {
  return rows
    .map(({ level, label, description, isExpanded }) => {
      const mark = isExpanded === undefined ? '-' : isExpanded ? '▾' : '▸';
      return `${'  '.repeat(level - 1)}${mark} ${label}${description ? ` · ${description}` : ''}`;
    })
    .join('\n');
}
