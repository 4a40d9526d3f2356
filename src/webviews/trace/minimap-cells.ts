import type { Row } from './rows.ts';
import { typeClass } from './span-icons.ts';
import { barOf, isHandled, type SpanNode, type Trace } from './waterfall.ts';

/** The marks of the minimap, which are the CSS classes of bars. If rows share a cell, it shows the mark listed last. */
export const MARKS = [
  'prompt',
  'parser',
  'chain',
  'retriever',
  'embedding',
  'tool',
  'llm',
  'interrupted',
  'error handled',
  'error',
] as const;

type Mark = (typeof MARKS)[number];

/** The number that a cell has for a mark; 0 is an empty cell. */
const numberOfMark = new Map<string, number>(MARKS.map((mark, index) => [mark, index + 1]));
const FIRST_FAILURE = MARKS.indexOf('error handled') + 1;

/** The size of the minimap's grid, in cells. */
interface MinimapSize {
  readonly columns: number;
  readonly lines: number;
  /** Cells per CSS pixel, in each direction. */
  readonly scale: number;
}

/** The minimum size of a failure in CSS pixels, so that it is seen among thousands of spans. */
const MIN_FAILURE = { width: 8, height: 3 };
/** The width of the strip at the right edge that also marks failures, in CSS pixels. */
const EDGE_WIDTH = 6;

/**
 * Draws rows into a grid: the first row at the top, the beginning of the trace at the left. There may be more rows than
 * lines.
 * @returns the cells, line by line: 0, or the position of the mark in `MARKS`, counted from 1
 */
export function minimapCells(
  rows: readonly Row[],
  trace: Pick<Trace, 'start' | 'end'>,
  { columns, lines, scale }: MinimapSize,
): Uint8Array {
  const cells = new Uint8Array(columns * lines);
  const edge = Math.min(columns, Math.round(EDGE_WIDTH * scale));
  const share = lines / rows.length;
  // High rows are separated by an empty line.
  const gap = share >= 3 ? 1 : 0;
  for (const [index, { node }] of rows.entries()) {
    const mark = numberOfMark.get(markOf(node)) ?? 0;
    const isFailure = mark >= FIRST_FAILURE;
    const least = isFailure ? MIN_FAILURE : { width: 0, height: 0 };
    const { left, width } = barOf(node.span, trace);
    const inside = columns - edge;
    const [first, end] = stretch(left * inside, (left + width) * inside, least.width * scale, inside);
    const [top, bottom] = stretch(index * share, (index + 1) * share - gap, least.height * scale, lines);
    for (let line = top; line < bottom; line++) {
      put(line, first, end, mark);
      if (isFailure) put(line, inside, columns, mark);
    }
  }
  return cells;

  function put(line: number, first: number, end: number, mark: number): void {
    for (let at = line * columns + first; at < line * columns + end; at++)
      if ((cells[at] ?? 0) < mark) cells[at] = mark;
  }
}

/**
 * Rounds a range to whole cells.
 * @param least how many cells the range has at least; never fewer than one
 * @param count the number of cells in the grid, beyond which the range does not reach
 * @returns the first cell, and the cell after the last
 */
function stretch(from: number, to: number, least: number, count: number): readonly [number, number] {
  const wanted = Math.max(1, Math.round(least));
  const first = Math.max(0, Math.min(Math.floor(from), count - wanted));
  return [first, Math.min(count, Math.max(first + wanted, Math.round(to)))];
}

function markOf(node: SpanNode): Mark {
  const { status, type } = node.span;
  if (status === 'error') return isHandled(node) ? 'error handled' : 'error';
  if (status === 'interrupted' || status === 'paused') return 'interrupted';
  return typeClass(type);
}
