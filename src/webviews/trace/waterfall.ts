import type { Span, SpanStatus } from '../../extension/panels/trace/messages.ts';

/** A span in its place in the tree. */
export interface SpanNode {
  readonly span: Span;
  readonly parent: SpanNode | undefined;
  readonly children: readonly SpanNode[];
  /** 1 for the root. */
  readonly level: number;
  /** Including those of the spans below. */
  readonly tokens: number;
  readonly cost: number;
  /** Whether it or a descendant has a cost, which may be 0. */
  readonly hasCost: boolean;
  /** Model calls, including descendants, that used tokens and have no price. */
  readonly unpriced: number;
  /** Whether a child span failed. */
  readonly failedBelow: boolean;
  /** Whether it or an ancestor continued, so that failures below it did not end the run. */
  readonly handles: boolean;
}

/** A trace as a tree, and its time range. */
export interface Trace {
  readonly root: SpanNode | undefined;
  readonly nodes: ReadonlyMap<string, SpanNode>;
  /** Every span, parents before their children. */
  readonly order: readonly SpanNode[];
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /**
   * The origins of failures that nothing is known to have handled: failed spans without a failed span below. The
   * one that ended the run is first, the others are in the order of the tree.
   */
  readonly errors: readonly SpanNode[];
  /**
   * The origins of failures that an ancestor handled, such as a retry or a fallback, in the order of the tree.
   */
  readonly handled: readonly SpanNode[];
  /** Whether it ended in order to wait for a person. LangGraph then reports the root as a success. */
  readonly isPaused: boolean;
}

/** How a span ends that handled the failures below it. */
const WENT_ON: ReadonlySet<SpanStatus> = new Set(['success', 'interrupted', 'paused']);

type Growing = {
  -readonly [K in keyof SpanNode]: K extends 'children'
    ? Growing[]
    : K extends 'parent'
      ? Growing | undefined
      : SpanNode[K];
};

/**
 * Builds a tree of spans, given earliest first. Spans whose parent has not arrived are right below the root;
 * without a root they are below the earliest one. Not recursive, because traces can be very deep.
 */
export function traceOf(spans: Iterable<Span>): Trace {
  const nodes = new Map<string, Growing>();
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    nodes.set(span.id, {
      span,
      parent: undefined,
      children: [],
      level: 1,
      tokens: 0,
      cost: 0,
      hasCost: false,
      unpriced: 0,
      failedBelow: false,
      handles: false,
    });
    start = Math.min(start, span.start);
    end = Math.max(end, span.start, span.end ?? span.start);
  }
  const root = rootOf(nodes.values());
  for (const node of nodes.values()) {
    if (node === root) continue;
    node.parent = nodes.get(node.span.parent ?? '') ?? root;
    node.parent?.children.push(node);
  }
  const order = depthFirst(root);
  sumUp(order);
  const began = order.filter(({ span, failedBelow }) => span.status === 'error' && !failedBelow);
  const cause = causeOf(root);
  const others = began.filter((node) => node !== cause && !isHandled(node));
  const errors = cause === undefined ? others : [cause, ...others];
  const handled = began.filter(isHandled);
  const isPaused =
    root?.span.status === 'success' &&
    root.span.type !== 'thread' &&
    order.some(({ span }) => span.status === 'interrupted');
  return { root, nodes, order, start, end, errors, handled, isPaused };
}

function rootOf(nodes: Iterable<Growing>): Growing | undefined {
  let first: Growing | undefined;
  for (const node of nodes) {
    if (node.span.parent === undefined) return node;
    first ??= node;
  }
  return first;
}

/** Whether an ancestor of a failed span continued. */
export function isHandled({ parent }: SpanNode): boolean {
  return parent?.handles === true;
}

/**
 * The origin of a trace's failure: down from the root through the child with the failure of its parent, or else
 * the failed child that ended last, because the parent continued after earlier ones.
 */
function causeOf(root: SpanNode | undefined): SpanNode | undefined {
  if (root?.span.status !== 'error') return undefined;
  let cause = root;
  for (let next = failedChildOf(cause); next !== undefined; next = failedChildOf(cause)) cause = next;
  return cause;
}

function failedChildOf({ span: { error }, children }: SpanNode): SpanNode | undefined {
  let found: SpanNode | undefined;
  for (const child of children) {
    if (child.span.status !== 'error') continue;
    if (found === undefined || rank(child) > rank(found)) found = child;
  }
  return found;

  function rank({ span }: SpanNode): number {
    const isSame = error !== undefined && span.error === error;
    return isSame ? Number.POSITIVE_INFINITY : (span.end ?? span.start);
  }
}

function depthFirst(root: Growing | undefined): Growing[] {
  const order: Growing[] = [];
  const left = root === undefined ? [] : [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    order.push(node);
    node.level = (node.parent?.level ?? 0) + 1;
    node.handles = node.parent?.handles === true || WENT_ON.has(node.span.status);
    for (let at = node.children.length - 1; at >= 0; at--) {
      const child = node.children[at];
      if (child !== undefined) left.push(child);
    }
  }
  return order;
}

const MODEL_CALLS: ReadonlySet<string> = new Set(['llm', 'embedding']);

/** From the last to the root, so that a node is complete before it is added to its parent. */
function sumUp(order: readonly Growing[]): void {
  for (const node of order.toReversed()) {
    // Platforms differ in whether a span counts its descendants; the larger number includes the other.
    node.tokens = Math.max(node.tokens, node.span.tokens ?? 0);
    const { type, tokens, cost } = node.span;
    if (MODEL_CALLS.has(type) && (tokens ?? 0) > 0 && cost === undefined) node.unpriced++;
    node.cost = Math.max(node.cost, node.span.cost ?? 0);
    node.hasCost ||= cost !== undefined;
    const { parent } = node;
    if (parent === undefined) continue;
    parent.tokens += node.tokens;
    parent.cost += node.cost;
    parent.hasCost ||= node.hasCost;
    parent.unpriced += node.unpriced;
    parent.failedBelow ||= node.failedBelow || node.span.status === 'error';
  }
}

/** The rows of a trace that are shown. */
export interface Shown {
  readonly folded: ReadonlySet<string>;
  /** The searched part of names, in any case; empty for all. */
  readonly query: string;
  readonly onlyErrors: boolean;
}

export interface Row {
  readonly node: SpanNode;
  /** Whether it matches the search; otherwise it is an ancestor of a match. */
  readonly matches: boolean;
  /** `undefined` for a span without children. */
  readonly isUnfolded: boolean | undefined;
  /** Position among visible siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
}

/** The visible rows. A filter shows its matches with all their ancestors, collapsed or not. */
export function rowsOf(trace: Trace, { folded, query, onlyErrors }: Shown): Row[] {
  const filter = filterOf(query, onlyErrors);
  const kept = filter && withAncestors(trace, filter);
  const isKept = (node: SpanNode) => kept === undefined || kept.has(node);
  const rows: Row[] = [];
  const { root } = trace;
  if (root === undefined || !isKept(root)) return rows;
  const left = [{ node: root, position: 1, siblings: 1 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node } = next;
    const children = kept === undefined ? node.children : node.children.filter(isKept);
    const isUnfolded = children.length === 0 ? undefined : kept !== undefined || !folded.has(node.span.id);
    rows.push({ ...next, matches: filter === undefined || filter(node), isUnfolded });
    if (!isUnfolded) continue;
    for (let at = children.length - 1; at >= 0; at--) {
      const child = children[at];
      if (child !== undefined) left.push({ node: child, position: at + 1, siblings: children.length });
    }
  }
  return rows;
}

function filterOf(query: string, onlyErrors: boolean): ((node: SpanNode) => boolean) | undefined {
  const wanted = query.trim().toLowerCase();
  if (wanted === '' && !onlyErrors) return undefined;
  return ({ span }) => (!onlyErrors || span.status === 'error') && span.name.toLowerCase().includes(wanted);
}

function withAncestors(trace: Trace, matches: (node: SpanNode) => boolean): ReadonlySet<SpanNode> {
  const kept = new Set<SpanNode>();
  for (const match of trace.order) {
    if (!matches(match)) continue;
    for (let node: SpanNode | undefined = match; node && !kept.has(node); node = node.parent) kept.add(node);
  }
  return kept;
}

/** The ancestors of a span, nearest first. */
export function ancestorsOf(node: SpanNode): SpanNode[] {
  const ancestors: SpanNode[] = [];
  for (let { parent } = node; parent !== undefined; parent = parent.parent) ancestors.push(parent);
  return ancestors;
}

/**
 * The next (or previous) failure after a span, starting over at the end: the cause of a failed trace, others, and
 * handled ones.
 * @param from the ID of a span; from a span without a failure, the first is next.
 */
export function nextError(
  { errors, handled }: Pick<Trace, 'errors' | 'handled'>,
  from: string | undefined,
  step: 1 | -1,
): SpanNode | undefined {
  const all = [...errors, ...handled];
  const here = all.findIndex(({ span }) => span.id === from);
  if (here < 0) return step === 1 ? all[0] : all.at(-1);
  return all[(here + step + all.length) % all.length];
}

export interface Bar {
  /** Shares of the axis, 0 to 1. */
  readonly left: number;
  readonly width: number;
}

/** The position of a span on the axis. A running span reaches the end. */
export function barOf({ start, end }: Span, trace: Pick<Trace, 'start' | 'end'>): Bar {
  const length = trace.end - trace.start;
  if (length <= 0) return { left: 0, width: 1 };
  const left = (start - trace.start) / length;
  return { left, width: Math.max(0, ((end ?? trace.end) - start) / length) };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** From ten seconds on, steps that divide a minute or an hour, as on a clock. */
const CLOCK_STEPS = [10, 15, 30]
  .map((seconds) => seconds * SECOND)
  .concat([1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE))
  .concat([1, 2, 6, 12, 24].map((hours) => hours * HOUR));

/** Round times for marks on an axis of a length in milliseconds: 0 and at most `limit` others. */
export function ticksOf(length: number, limit: number): number[] {
  if (!(length > 0) || limit < 1) return [0];
  const rough = length / limit;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const decimal = magnitude * ([1, 2, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10);
  const step = rough <= 10 * SECOND ? decimal : (CLOCK_STEPS.find((clock) => clock >= rough) ?? decimal);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, at) => at * step);
}
