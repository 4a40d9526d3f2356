import assert from 'node:assert/strict';
import type { Span } from '../../../src/extension/panels/trace/messages.ts';
import { MARKS, minimapCells } from '../../../src/webviews/trace/minimap-cells.ts';
import { rowsOf } from '../../../src/webviews/trace/rows.ts';
import { traceOf } from '../../../src/webviews/trace/waterfall.ts';
import { span } from './span.ts';

/** The lines of a minimap, with a letter for each mark. */
function draw(spans: readonly Span[], columns: number, lines: number): string[] {
  const trace = traceOf(spans);
  const rows = rowsOf(trace, { folded: new Set(), query: '', onlyErrors: false });
  const cells = minimapCells(rows, trace, { columns, lines, scale: 1 });
  const letter = (cell: number) =>
    cell === 0 ? '.' : (MARKS[cell - 1]?.replace('error handled', 'Handled')[0] ?? '?');
  return Array.from({ length: lines }, (_, line) =>
    [...cells.slice(line * columns, (line + 1) * columns)].map(letter).join(''),
  );
}

const agent = span('agent', undefined, { start: 0, end: 1000 });

describe('the minimap', () => {
  it('has a bar for each row at its place in time, with a line between rows that have room', () => {
    const model = span('model', 'agent', { type: 'llm', start: 500, end: 1000 });
    assert.deepEqual(draw([agent, model], 16, 2), ['cccccccccc......', '.....lllll......']);
    assert.deepEqual(draw([agent, model], 10, 8), [
      'cccc......',
      'cccc......',
      'cccc......',
      '..........',
      '..ll......',
      '..ll......',
      '..ll......',
      '..........',
    ]);
  });

  it('shows each failure among thousands of spans, even at the edge, and which failures were handled', () => {
    const spans = Array.from({ length: 4000 }, (_, at) =>
      span(`step ${at}`, 'agent', {
        start: at / 4,
        end: at / 4,
        ...((at === 2000 || at === 3999) && { status: 'error' }),
      }),
    );
    const handled = draw([agent, ...spans], 26, 100);
    assert.deepEqual(
      handled.flatMap((line, at) => (line.includes('H') ? [[at, line.replaceAll('c', '.')]] : [])),
      [
        [50, '..........HHHHHHHH..HHHHHH'],
        [51, '..........HHHHHHHH..HHHHHH'],
        [52, '..........HHHHHHHH..HHHHHH'],
        [97, '............HHHHHHHHHHHHHH'],
        [98, '............HHHHHHHHHHHHHH'],
        [99, '............HHHHHHHHHHHHHH'],
      ],
    );
    const failed = draw([{ ...agent, status: 'error' }, ...spans], 26, 100);
    assert.deepEqual(
      failed.flatMap((line, at) => (line.endsWith('eeeeee') ? [at] : [])),
      [0, 1, 2, 50, 51, 52, 97, 98, 99],
    );
  });

  it('has a bar for a trace that takes no time', () => {
    assert.deepEqual(draw([span('agent', undefined, { end: 1000 })], 9, 1), ['ccc......']);
  });
});
