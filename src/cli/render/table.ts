import stringWidth from 'string-width';
import type { Colors } from '../terminal/colors.ts';
import { oneLine } from './one-line.ts';

/** A column of a table. Only the cells of flexible columns are cut to fit the terminal. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly paint?: (text: string, row: Row, colors: Colors) => string;
  readonly flexible?: boolean;
}

interface TableOptions {
  /** Columns of the terminal; undefined in a pipe, where nothing has to fit. */
  readonly width: number | undefined;
  readonly colors: Colors;
}

/** Spaces between columns. */
const GAP = 2;
/** The minimum width of a flexible column. */
const MIN_WIDTH = 8;
/** A text longer than this many terminal widths does not fit, even if some of its characters are invisible. */
const MAX_WIDTHS = 20;
const segments = new Intl.Segmenter();

/**
 * Formats rows as lines. Columns are as wide as their widest cell, and flexible ones are cut to fit the
 * terminal; if that is not enough, each row becomes a block of lines. Empty columns are left out.
 */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: TableOptions,
): string[] {
  const cells = rows.map((row) => columns.map((column) => cellText(column, row, options.width)));
  const shown = columns.map((_, at) => cells.some((row) => row[at] !== ''));
  const withoutEmpty = <Item>(items: readonly Item[]) => items.filter((_, at) => shown[at]);
  const shownColumns = withoutEmpty(columns);
  const shownCells = cells.map(withoutEmpty);
  const natural = shownColumns.map((column, at) =>
    Math.max(stringWidth(column.title), ...shownCells.map((row) => stringWidth(row[at] ?? ''))),
  );
  const widths = fitWidths(shownColumns, natural, options.width);
  return widths === undefined
    ? blocks(shownColumns, rows, shownCells, options)
    : grid(shownColumns, rows, shownCells, widths, options.colors);
}

/** A cell on one line; a long text is cut roughly here, before it is measured. */
function cellText<Row>({ cell, flexible }: Column<Row>, row: Row, width: number | undefined): string {
  const text = cell(row);
  const isLong = flexible === true && width !== undefined && text.length > MAX_WIDTHS * width;
  return oneLine(isLong ? text.slice(0, MAX_WIDTHS * width) : text);
}

/** Narrows the widest flexible column until the row fits; undefined when that is impossible. */
function fitWidths<Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  width: number | undefined,
): number[] | undefined {
  const widths = [...natural];
  if (width === undefined) return widths;
  let excess = widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1) - width;
  while (excess > 0) {
    const flexible = widths.map((one, at) => (columns[at]?.flexible ? one : 0));
    const widest = Math.max(...flexible);
    if (widest <= MIN_WIDTH) return undefined;
    const at = flexible.indexOf(widest);
    widths[at] = widest - 1;
    excess--;
  }
  return widths;
}

function grid<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  cells: readonly (readonly string[])[],
  widths: readonly number[],
  colors: Colors,
): string[] {
  const line = (texts: readonly string[], paint: (text: string, at: number) => string) =>
    texts
      .map((text, at) => {
        const cut = truncate(text, widths[at] ?? 0);
        const last = at === texts.length - 1;
        const padding = last ? '' : ' '.repeat((widths[at] ?? 0) - stringWidth(cut) + GAP);
        return paint(cut, at) + padding;
      })
      .join('')
      .trimEnd();
  return [
    line(
      columns.map(({ title }) => title),
      (text) => colors.dim(text),
    ),
    ...rows.map((row, index) =>
      line(cells[index] ?? [], (text, at) => columns[at]?.paint?.(text, row, colors) ?? text),
    ),
  ];
}

/** Formats each row as a block with one line per cell, with an empty line between the blocks. */
function blocks<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  cells: readonly (readonly string[])[],
  { width, colors }: TableOptions,
): string[] {
  const label = Math.max(...columns.map(({ title }) => stringWidth(title)));
  return rows.flatMap((row, index) => {
    const lines = columns.flatMap((column, at) => {
      const text = cells[index]?.[at] ?? '';
      if (text === '') return [];
      const room = width === undefined ? Number.POSITIVE_INFINITY : width - label - GAP;
      const cut = column.flexible ? truncate(text, Math.max(MIN_WIDTH, room)) : text;
      return [`${colors.dim(column.title.padEnd(label + GAP))}${column.paint?.(cut, row, colors) ?? cut}`];
    });
    return index === 0 ? lines : ['', ...lines];
  });
}

/** Cuts text to a number of columns, at whole characters. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    const wide = stringWidth(segment);
    if (used + wide > width - 1) break;
    kept += segment;
    used += wide;
  }
  return `${kept}…`;
}
