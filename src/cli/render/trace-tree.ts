import { errorPlace, ownStackLines } from '../../client/error-frames.ts';
import { modelOf, type SpanContent } from '../../client/span-contents.ts';
import { outcomeOf, type SpanOutcome } from '../../client/span-outcome.ts';
import type { Feedback } from '../../contract/tracing/feedback.ts';
import type { TraceNode } from '../../contract/tracing/runs.ts';
import { errorHead, partsOfError } from '../../terms/error-text.ts';
import { missingContent } from '../../terms/missing-content.ts';
import { costText } from '../../terms/money.ts';
import { millisecondsBetween } from '../../terms/times.ts';
import type { Colors } from '../terminal/colors.ts';
import { printable } from '../terminal/printable.ts';
import { oneLine } from './one-line.ts';
import { placeText } from './places.ts';
import { contentTexts } from './span-content.ts';
import { durationText } from './time.ts';

/** The contents of a span, and whether its inputs were inferred from the tool call in a model's message. */
export interface ShownContent extends SpanContent {
  readonly areInputsInferred?: true;
}

export interface TraceTreeOptions {
  readonly colors: Colors;
  /** Texts of errors and interrupts, by run ID. */
  readonly errors?: ReadonlyMap<string, string>;
  /** Models, inputs and outputs of spans, by run ID. */
  readonly contents?: ReadonlyMap<string, ShownContent>;
  /** Whether the stacks of errors are shown, without frames of libraries. */
  readonly showStacks?: boolean;
  /** The maximum length of an input or output in characters; if `undefined`, nothing is cut. */
  readonly maxContentLength?: number | undefined;
}

/** The maximum length of an error in characters, if contents are cut. */
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
  const names = new Map(root.child_runs.flatMap(namesBelow));
  return [
    spanLine(root, options),
    ...contentLines(root, root.child_runs.length > 0 ? '│  ' : '   ', options),
    ...childLines(root, '', options),
    ...feedback.map((one) => feedbackLine(one, options.colors, names.get(one.run_id ?? ''))),
  ];
}

/** The name of a span and of those below it, by ID. */
function namesBelow({ id, name, child_runs }: TraceNode): [string, string][] {
  return [[id, name], ...child_runs.flatMap(namesBelow)];
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
  const content = contents?.get(span.id);
  const { inputs, outputs, extra } = content ?? {};
  const lines = (mark: string, value: unknown) =>
    contentTexts(value).flatMap((text) =>
      cut(printable(text), maxContentLength)
        .split('\n')
        .map((line, at) => `${colors.dim(indent)}${at === 0 ? colors.cyan(mark) : ' '} ${line}`),
    );
  const note = (text: string) => [`${colors.dim(indent)}${colors.dim(text)}`];
  const missing = (which: 'inputs' | 'outputs') => {
    const { run_type, status } = span;
    const found =
      content && which in content
        ? missingContent(which, { run_type, status, extra, payload: content[which] })
        : undefined;
    return found === undefined ? [] : note(`no ${found.attribute}; to record it: ${found.switch}`);
  };
  return [
    ...lines('<', inputs),
    ...(content?.areInputsInferred ? note("inferred from the model's message") : missing('inputs')),
    ...lines('>', outputs),
    ...missing('outputs'),
    ...stackLines(span, indent, options),
  ];
}

/** The stack of an error, at the span where it was thrown. */
function stackLines(span: TraceNode, indent: string, options: TraceTreeOptions): string[] {
  const { colors, errors, showStacks } = options;
  const error = errors?.get(span.id);
  if (!showStacks || !error || outcomeOf({ error }) === 'interrupted' || isPassedOn(span, options)) return [];
  return ownStackLines(error).map((line) => `${colors.dim(indent)}${colors.red(line)}`);
}

/** Whether the error of a span was thrown by a span below, which has the same error. */
function isPassedOn(span: TraceNode, { errors }: TraceTreeOptions): boolean {
  const message = partsOfError(errors?.get(span.id) ?? '').message;
  return span.child_runs.some(({ id }) => partsOfError(errors?.get(id) ?? '').message === message);
}

function cut(text: string, length: number | undefined): string {
  return length === undefined || text.length <= length ? text : `${text.slice(0, length)}…`;
}

function spanLine(span: TraceNode, options: TraceTreeOptions): string {
  const { colors, errors, contents } = options;
  const { bold, dim, red } = colors;
  const error = errors?.get(span.id);
  const model = modelOf(contents?.get(span.id) ?? {});
  const outcome = outcomeOf({ status: span.status, error });
  const tokens = span.total_tokens ? `${span.total_tokens} tokens` : '';
  const facts = [
    span.run_type,
    model ?? '',
    durationText(millisecondsBetween(span.start_time, span.end_time)),
    tokens,
    priceText(span),
    outcome === 'interrupted' || outcome === 'cancelled' ? outcome : '',
  ];
  const isThrown = error && outcome === 'error' && !isPassedOn(span, options);
  const place = isThrown ? errorPlace(error) : undefined;
  const reason = isThrown
    ? `  ${red(oneLine(errorHead(error), options.maxContentLength === undefined ? undefined : MAX_ERROR_LENGTH))}`
    : '';
  const where = place === undefined ? '' : `  ${dim(placeText(place))}`;
  return `${markOf(outcome, colors)} ${bold(span.name)} ${dim(facts.filter(Boolean).join(', '))}${reason}${where}`;
}

/** The cost of a span, or that a model call has no price. */
function priceText({ run_type, total_cost, total_tokens }: TraceNode): string {
  const isCall = run_type === 'llm' || run_type === 'embedding';
  return isCall && total_tokens && (total_cost === null || total_cost === undefined)
    ? 'no price'
    : costText(total_cost);
}

function markOf(outcome: SpanOutcome, { green, red, yellow }: Colors): string {
  switch (outcome) {
    case 'success':
      return green('✓');
    case 'error':
      return red('✗');
    case 'interrupted':
      return yellow('‖');
    case 'cancelled':
      return yellow('■');
    case 'pending':
      return yellow('…');
  }
}

/** One piece of feedback on a line. @param span the name of its span, if it is not about the shown run as a whole */
export function feedbackLine(
  { key, score, value, comment }: Feedback,
  { yellow, bold, dim }: Colors,
  span?: string,
): string {
  const parts = [
    score === null || score === undefined ? '' : ` ${String(score)}`,
    value === null || value === undefined ? '' : ` ${oneLine(value)}`,
    comment ? ` “${oneLine(comment)}”` : '',
    span === undefined ? '' : dim(` on ${oneLine(span)}`),
  ];
  return `${yellow('★')} ${bold(key)}${parts.join('')}`;
}
