import { typeClass } from './span-icons.ts';
import { barOf, isHandled, type Row, type SpanNode, type Trace } from './waterfall.ts';

/** Marks of cells of the minimap, as the classes of bars. Where several share a cell, the last is seen. */
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

const numbers = new Map<string, number>(MARKS.map((mark, index) => [mark, index + 1]));
const FIRST_FAILURE = MARKS.indexOf('error handled') + 1;
/** The size of a grid, in cells. */
export interface MinimapSize {
  readonly columns: number;
  readonly lines: number;
  /** Cells per CSS pixel, in each direction. */
  readonly scale: number;
}

/**
 * A failure is at least this large, in pixels, and also marked at the right edge, to be seen among thousands of spans.
 */
const FAILURE = { width: 8, height: 3 };
const EDGE = 6;

/**
 * Draws rows into a grid: the first row at the top, the beginning of the trace at the left. There may be more rows than
 * lines.
 * @returns line by line, each cell: 0, or the place of its mark in `MARKS`, counted from 1.
 */
export function minimapCells(
  rows: readonly Row[],
  trace: Pick<Trace, 'start' | 'end'>,
  { columns, lines, scale }: MinimapSize,
): Uint8Array {
  const cells = new Uint8Array(columns * lines);
  const edge = Math.min(columns, Math.round(EDGE * scale));
  const share = lines / rows.length;
  // Rows that have room for it are set apart by a line.
  const gap = share >= 3 ? 1 : 0;
  for (const [index, { node }] of rows.entries()) {
    const mark = numbers.get(markOf(node)) ?? 0;
    const isFailure = mark >= FIRST_FAILURE;
    const least = isFailure ? FAILURE : { width: 0, height: 0 };
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

/** The whole cells from one place to another: at least one, or as many as asked for, and none beyond the last. */
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
