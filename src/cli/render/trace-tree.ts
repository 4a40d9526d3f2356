import type { Feedback } from '../../contract/tracing/feedback.ts';
import type { TraceNode } from '../../contract/tracing/runs.ts';
import { type Colors, printable } from '../terminal.ts';
import { oneLine } from './one-line.ts';

/** A trace as a tree, a line a span, its feedback below. */
export function traceLines(root: TraceNode, feedback: readonly Feedback[], colors: Colors): string[] {
  return [
    spanLine(root, colors),
    ...childLines(root, '', colors),
    ...feedback.map((one) => feedbackLine(one, colors)),
  ];
}

function childLines(node: TraceNode, indent: string, colors: Colors): string[] {
  return node.child_runs.flatMap((child, at) => {
    const last = at === node.child_runs.length - 1;
    return [
      `${colors.dim(`${indent}${last ? '└─' : '├─'}`)} ${spanLine(child, colors)}`,
      ...childLines(child, `${indent}${last ? '   ' : '│  '}`, colors),
    ];
  });
}

function spanLine(span: TraceNode, { bold, dim, green, red, yellow }: Colors): string {
  const mark = span.status === 'error' ? red('✗') : span.status === 'success' ? green('✓') : yellow('…');
  const tokens = span.total_tokens ? `, ${span.total_tokens} tokens` : '';
  return `${mark} ${bold(printable(span.name))} ${dim(`${span.run_type}${duration(span)}${tokens}`)}`;
}

function duration({ start_time, end_time }: TraceNode): string {
  if (!end_time) return '';
  const ms = millisecondsOf(end_time) - millisecondsOf(start_time);
  if (Number.isNaN(ms)) return '';
  return ms < 1_000 ? `, ${Math.round(ms)} ms` : `, ${(ms / 1_000).toFixed(2)} s`;
}

/** Times without an offset are UTC here. */
function millisecondsOf(time: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
}

function feedbackLine({ key, score, value, comment }: Feedback, { yellow, bold }: Colors): string {
  const parts = [
    score === null || score === undefined ? '' : ` ${String(score)}`,
    value === null || value === undefined ? '' : ` ${oneLine(value, 60)}`,
    comment ? ` “${oneLine(comment, 200)}”` : '',
  ];
  return `${yellow('★')} ${bold(printable(key))}${parts.join('')}`;
}
