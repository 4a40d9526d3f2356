import { modelOf, type SpanContent } from '../../client/span-contents.ts';
import { messageOf, outcomeOf } from '../../client/span-outcome.ts';
import type { Feedback } from '../../contract/tracing/feedback.ts';
import type { TraceNode } from '../../contract/tracing/runs.ts';
import { type Colors, printable } from '../terminal.ts';
import { errorHead, errorPlace, errorStackLines, placeText } from './error-text.ts';
import { oneLine } from './one-line.ts';
import { contentTexts } from './span-content.ts';

export interface TraceTreeOptions {
  readonly colors: Colors;
  /** Texts of errors and interrupts, by run ID. */
  readonly errors?: ReadonlyMap<string, string>;
  /** Models, inputs and outputs of spans, by run ID. */
  readonly contents?: ReadonlyMap<string, SpanContent>;
  /** Whether the stacks of errors are shown whole. */
  readonly showStacks?: boolean;
  /** The maximum length of an input or output; undefined cuts nothing. */
  readonly maxContentLength?: number | undefined;
}

/** The maximum length of an error where contents are cut. */
const MAX_ERROR_LENGTH = 300;

/**
 * A trace as a tree: one line per span with its inputs and outputs below if given, and feedback at the end.
 * An error is shown where it was thrown, not again at each parent span.
 */
export function traceLines(
  root: TraceNode,
  feedback: readonly Feedback[],
  options: TraceTreeOptions,
): string[] {
  return [
    spanLine(root, options),
    ...contentLines(root, root.child_runs.length > 0 ? '│  ' : '   ', options),
    ...childLines(root, '', options),
    ...feedback.map((one) => feedbackLine(one, options.colors)),
  ];
}

function childLines(node: TraceNode, indent: string, options: TraceTreeOptions): string[] {
  const { dim } = options.colors;
  return node.child_runs.flatMap((child, at) => {
    const last = at === node.child_runs.length - 1;
    const inner = `${indent}${last ? '   ' : '│  '}`;
    return [
      `${dim(`${indent}${last ? '└─' : '├─'}`)} ${spanLine(child, options)}`,
      ...contentLines(child, `${inner}${child.child_runs.length > 0 ? '│  ' : '   '}`, options),
      ...childLines(child, inner, options),
    ];
  });
}

function contentLines(span: TraceNode, indent: string, options: TraceTreeOptions): string[] {
  const { contents, colors, maxContentLength } = options;
  const { inputs, outputs } = contents?.get(span.id) ?? {};
  const lines = (mark: string, value: unknown) =>
    contentTexts(value).flatMap((text) =>
      cut(printable(text), maxContentLength)
        .split('\n')
        .map((line, at) => `${colors.dim(indent)}${at === 0 ? colors.cyan(mark) : ' '} ${line}`),
    );
  return [...lines('<', inputs), ...lines('>', outputs), ...stackLines(span, indent, options)];
}

/** The stack of an error, at the span where it was thrown. */
function stackLines(span: TraceNode, indent: string, options: TraceTreeOptions): string[] {
  const { colors, errors, showStacks } = options;
  const error = errors?.get(span.id);
  if (!showStacks || !error || outcomeOf({ error }) === 'interrupted' || isPassedOn(span, options)) return [];
  return errorStackLines(error).map((line) => `${colors.dim(indent)}${colors.red(printable(line))}`);
}

/** Whether a span below has the same error, and so is where it comes from. */
function isPassedOn(span: TraceNode, { errors }: TraceTreeOptions): boolean {
  const message = messageOf(errors?.get(span.id) ?? '');
  return span.child_runs.some(({ id }) => messageOf(errors?.get(id) ?? '') === message);
}

function cut(text: string, length: number | undefined): string {
  return length === undefined || text.length <= length ? text : `${text.slice(0, length)}…`;
}

function spanLine(span: TraceNode, options: TraceTreeOptions): string {
  const { colors, errors, contents } = options;
  const { bold, dim, red } = colors;
  const error = errors?.get(span.id);
  const model = modelOf(contents?.get(span.id) ?? {});
  const paused = outcomeOf({ error }) === 'interrupted';
  const tokens = span.total_tokens ? `, ${span.total_tokens} tokens` : '';
  const facts = `${span.run_type}${model === undefined ? '' : `, ${printable(model)}`}${duration(span)}${tokens}${paused ? ', interrupted' : ''}`;
  const isThrown = error && !paused && !isPassedOn(span, options);
  const place = isThrown ? errorPlace(error) : undefined;
  const said = isThrown
    ? `  ${red(oneLine(errorHead(error), options.maxContentLength && MAX_ERROR_LENGTH))}`
    : '';
  const where = place === undefined ? '' : `  ${dim(placeText(place))}`;
  return `${markOf(span, paused, colors)} ${bold(printable(span.name))} ${dim(facts)}${said}${where}`;
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

/** One piece of feedback on a line. */
export function feedbackLine({ key, score, value, comment }: Feedback, { yellow, bold }: Colors): string {
  const parts = [
    score === null || score === undefined ? '' : ` ${String(score)}`,
    value === null || value === undefined ? '' : ` ${oneLine(value)}`,
    comment ? ` “${oneLine(comment)}”` : '',
  ];
  return `${yellow('★')} ${bold(printable(key))}${parts.join('')}`;
}
