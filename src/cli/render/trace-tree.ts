import type { Feedback } from '../../contract/tracing/feedback.ts';
import type { TraceNode } from '../../contract/tracing/runs.ts';
import { type Colors, printable } from '../terminal.ts';
import { oneLine } from './one-line.ts';

/**
 * A trace as a tree, a line a span, its feedback below.
 * @param interrupted ids of the spans that an interrupt has ended
 */
export function traceLines(
  root: TraceNode,
  feedback: readonly Feedback[],
  colors: Colors,
  interrupted: ReadonlySet<string> = new Set(),
): string[] {
  return [
    spanLine(root, interrupted, colors),
    ...childLines(root, '', interrupted, colors),
    ...feedback.map((one) => feedbackLine(one, colors)),
  ];
}

function childLines(
  node: TraceNode,
  indent: string,
  interrupted: ReadonlySet<string>,
  colors: Colors,
): string[] {
  return node.child_runs.flatMap((child, at) => {
    const last = at === node.child_runs.length - 1;
    return [
      `${colors.dim(`${indent}${last ? '└─' : '├─'}`)} ${spanLine(child, interrupted, colors)}`,
      ...childLines(child, `${indent}${last ? '   ' : '│  '}`, interrupted, colors),
    ];
  });
}

function spanLine(span: TraceNode, interrupted: ReadonlySet<string>, colors: Colors): string {
  const { bold, dim } = colors;
  const paused = interrupted.has(span.id);
  const tokens = span.total_tokens ? `, ${span.total_tokens} tokens` : '';
  const facts = `${span.run_type}${duration(span)}${tokens}${paused ? ', interrupted' : ''}`;
  return `${markOf(span, paused, colors)} ${bold(printable(span.name))} ${dim(facts)}`;
}

function markOf({ status }: TraceNode, paused: boolean, { green, red, yellow }: Colors): string {
  if (paused) return yellow('‖');
  return status === 'error' ? red('✗') : status === 'success' ? green('✓') : yellow('…');
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
