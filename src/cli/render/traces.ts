import { outcomeOf } from '../../client/span-outcome.ts';
import type { ListedTrace } from '../../client/traces.ts';
import { errorHead } from '../../terms/error-text.ts';
import { costText } from '../../terms/money.ts';
import { millisecondsBetween } from '../../terms/times.ts';
import type { Colors } from '../terminal/colors.ts';
import { oneLine } from './one-line.ts';
import { type Column, truncate } from './table.ts';
import { durationText, localTime } from './time.ts';

export const TRACE_COLUMNS: readonly Column<ListedTrace>[] = [
  { title: 'TRACE', cell: idOf },
  { title: 'STARTED', cell: ({ start_time }) => localTime(start_time) },
  { title: 'STATUS', cell: outcomeOf, paint: paintOutcome },
  { title: 'TOOK', cell: elapsedText },
  { title: 'TOKENS', cell: tokensText },
  { title: 'COST', cell: ({ total_cost }) => costText(total_cost) },
  { title: 'NAME', cell: ({ name = '' }) => name, flexible: true },
  { title: 'FEEDBACK', cell: feedbackText, flexible: true },
  { title: 'ERROR', cell: errorText, flexible: true },
];

/** A trace on one line, for following traces. */
export function traceLine(trace: ListedTrace, colors: Colors, width: number | undefined): string {
  const outcome = outcomeOf(trace);
  const facts = [
    elapsedText(trace),
    tokensText(trace) && `${tokensText(trace)} tokens`,
    costText(trace.total_cost),
    feedbackText(trace),
  ];
  const head = `${localTime(trace.start_time)}  ${idOf(trace)}  `;
  const tail = [trace.name ?? '', facts.filter(Boolean).join(', '), errorText(trace)]
    .filter(Boolean)
    .join('  ');
  const shown = oneLine(tail);
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - head.length - outcome.length - 2;
  return `${colors.dim(head)}${paintOutcome(outcome, trace, colors)}  ${room > 8 ? truncate(shown, room) : shown}`;
}

function idOf({ trace_id, id = '' }: ListedTrace): string {
  return trace_id ?? id;
}

function paintOutcome(text: string, _trace: ListedTrace, colors: Colors): string {
  switch (text) {
    case 'error':
      return colors.red(text);
    case 'success':
      return colors.green(text);
    default:
      return colors.yellow(text);
  }
}

function elapsedText({ start_time, end_time }: ListedTrace): string {
  return durationText(millisecondsBetween(start_time, end_time));
}

function tokensText({ total_tokens }: ListedTrace): string {
  return total_tokens ? String(total_tokens) : '';
}

/** `helpful 0.5 (2)`: key, average, and the count if it is more than one. */
export function feedbackText({
  feedback_stats,
}: {
  readonly feedback_stats?: Readonly<Record<string, unknown>> | null | undefined;
}): string {
  return Object.entries(feedback_stats ?? {})
    .map(([key, stats]) => {
      const { n, avg } = numbersOf(stats);
      return `${key}${avg === undefined ? '' : ` ${Math.round(avg * 100) / 100}`}${n > 1 ? ` (${n})` : ''}`;
    })
    .join(', ');
}

function numbersOf(stats: unknown): { n: number; avg: number | undefined } {
  if (stats === null || typeof stats !== 'object') return { n: 0, avg: undefined };
  const n = 'n' in stats && typeof stats.n === 'number' ? stats.n : 0;
  const avg = 'avg' in stats && typeof stats.avg === 'number' ? stats.avg : undefined;
  return { n, avg };
}

function errorText(trace: ListedTrace): string {
  return outcomeOf(trace) === 'error' ? errorHead(trace.error ?? '') : '';
}
