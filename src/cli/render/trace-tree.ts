import { messageOf, outcomeOf } from '../../client/span-outcome.ts';
import type { Feedback } from '../../contract/tracing/feedback.ts';
import type { TraceNode } from '../../contract/tracing/runs.ts';
import { type Colors, printable } from '../terminal.ts';
import { oneLine } from './one-line.ts';

type SpanErrors = ReadonlyMap<string, string>;

const ERROR_LENGTH = 300;

/**
 * A trace as a tree, a line a span, its feedback below. An error stands where it was thrown, and not again at each
 * span around it.
 * @param errors texts of the spans' errors and interrupts, by the ids of runs
 */
export function traceLines(
  root: TraceNode,
  feedback: readonly Feedback[],
  colors: Colors,
  errors: SpanErrors = new Map(),
): string[] {
  return [
    spanLine(root, errors, colors),
    ...childLines(root, '', errors, colors),
    ...feedback.map((one) => feedbackLine(one, colors)),
  ];
}

function childLines(node: TraceNode, indent: string, errors: SpanErrors, colors: Colors): string[] {
  return node.child_runs.flatMap((child, at) => {
    const last = at === node.child_runs.length - 1;
    return [
      `${colors.dim(`${indent}${last ? '└─' : '├─'}`)} ${spanLine(child, errors, colors)}`,
      ...childLines(child, `${indent}${last ? '   ' : '│  '}`, errors, colors),
    ];
  });
}

function spanLine(span: TraceNode, errors: SpanErrors, colors: Colors): string {
  const { bold, dim, red } = colors;
  const error = errors.get(span.id);
  const paused = outcomeOf({ error }) === 'interrupted';
  const tokens = span.total_tokens ? `, ${span.total_tokens} tokens` : '';
  const facts = `${span.run_type}${duration(span)}${tokens}${paused ? ', interrupted' : ''}`;
  const message = error && !paused ? messageOf(error) : '';
  const isPassedOn = span.child_runs.some(({ id }) => messageOf(errors.get(id) ?? '') === message);
  const said = message && !isPassedOn ? `  ${red(oneLine(message, ERROR_LENGTH))}` : '';
  return `${markOf(span, paused, colors)} ${bold(printable(span.name))} ${dim(facts)}${said}`;
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
