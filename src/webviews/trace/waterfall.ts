import type { Span, SpanStatus } from '../../extension/panels/trace/messages.ts';

/** A span in its place in the tree. */
export interface SpanNode {
  readonly span: Span;
  readonly parent: SpanNode | undefined;
  readonly children: readonly SpanNode[];
  /** 1 for the root. */
  readonly level: number;
  /** The tokens of the span and its descendants. */
  readonly tokens: number;
  /** The dollars of the span and its descendants. */
  readonly cost: number;
  /** Whether the span or a descendant has a cost, which may be 0. */
  readonly hasCost: boolean;
  /** The number of model calls, including descendants, that used tokens and have no price. */
  readonly unpriced: number;
  /** Whether a descendant failed. */
  readonly failedBelow: boolean;
  /** Whether the span or an ancestor continued, so that failures below did not end the run. */
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
   * The origins of unhandled failures: failed spans without a failed span below. The failure that ended the run is
   * first, the others are in the order of the tree.
   */
  readonly errors: readonly SpanNode[];
  /**
   * The origins of failures that an ancestor handled, such as a retry or a fallback, in the order of the tree.
   */
  readonly handled: readonly SpanNode[];
  /** Whether the run ended in order to wait for input. LangGraph then reports the root as a success. */
  readonly isPaused: boolean;
}

/** The statuses of a span that continued in spite of failures below it. */
const CONTINUED: ReadonlySet<SpanStatus> = new Set(['success', 'interrupted', 'paused']);

/** A node while the tree is built. */
type MutableNode = {
  -readonly [K in keyof SpanNode]: K extends 'children'
    ? MutableNode[]
    : K extends 'parent'
      ? MutableNode | undefined
      : SpanNode[K];
};

/**
 * Builds the tree of a trace. Spans whose parent has not arrived are right below the root; without a root, they are
 * below the earliest span. Nothing here is recursive, because traces can be very deep.
 * @param spans earliest first
 */
export function traceOf(spans: Iterable<Span>): Trace {
  const nodes = new Map<string, MutableNode>();
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
  const origins = order.filter(({ span, failedBelow }) => span.status === 'error' && !failedBelow);
  const cause = causeOf(root);
  const others = origins.filter((node) => node !== cause && !isHandled(node));
  const errors = cause === undefined ? others : [cause, ...others];
  const handled = origins.filter(isHandled);
  const isPaused =
    root?.span.status === 'success' &&
    root.span.type !== 'thread' &&
    order.some(({ span }) => span.status === 'interrupted');
  return { root, nodes, order, start, end, errors, handled, isPaused };
}

function rootOf(nodes: Iterable<MutableNode>): MutableNode | undefined {
  let first: MutableNode | undefined;
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

/** The origin of the failure of a trace, which is found by following failed children down from the root. */
function causeOf(root: SpanNode | undefined): SpanNode | undefined {
  if (root?.span.status !== 'error') return undefined;
  let cause = root;
  for (let next = failedChildOf(cause); next !== undefined; next = failedChildOf(cause)) cause = next;
  return cause;
}

/**
 * The child whose failure made its parent fail: the child with the same error, or else the failed child that ended last,
 * because the parent continued after the earlier ones.
 */
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

function depthFirst(root: MutableNode | undefined): MutableNode[] {
  const order: MutableNode[] = [];
  const remaining = root === undefined ? [] : [root];
  for (let node = remaining.pop(); node !== undefined; node = remaining.pop()) {
    order.push(node);
    node.level = (node.parent?.level ?? 0) + 1;
    node.handles = node.parent?.handles === true || CONTINUED.has(node.span.status);
    for (let at = node.children.length - 1; at >= 0; at--) {
      const child = node.children[at];
      if (child !== undefined) remaining.push(child);
    }
  }
  return order;
}

/** The types of spans that have a price. */
const MODEL_CALLS: ReadonlySet<string> = new Set(['llm', 'embedding']);

/** Adds up tokens and costs, from the last span to the root, so that each sum is complete before it is added. */
function sumUp(order: readonly MutableNode[]): void {
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

/** The ancestors of a span, nearest first. */
export function ancestorsOf(node: SpanNode): SpanNode[] {
  const ancestors: SpanNode[] = [];
  for (let { parent } = node; parent !== undefined; parent = parent.parent) ancestors.push(parent);
  return ancestors;
}

/**
 * The next (or previous) failure after a span, starting over at the end. Failures are in the order of
 * `errors`, followed by `handled`.
 * @param from the ID of the span; a span without a failure is followed by the first failure, and preceded by
 * the last one
 */
export function nextError(
  { errors, handled }: Pick<Trace, 'errors' | 'handled'>,
  from: string | undefined,
  step: 1 | -1,
): SpanNode | undefined {
  const all = [...errors, ...handled];
  return neighborOf(
    all,
    all.findIndex(({ span }) => span.id === from),
    step,
  );
}

/**
 * The next or previous entry of a list, which continues at its other end.
 * @param at the position of the current entry; -1 if there is none, which is followed by the first and preceded by the last one
 */
export function neighborOf<T>(all: readonly T[], at: number, step: 1 | -1): T | undefined {
  if (at < 0) return step === 1 ? all[0] : all.at(-1);
  return all[(at + step + all.length) % all.length];
}

interface Bar {
  /** Shares of the axis, 0 to 1. */
  readonly left: number;
  readonly width: number;
}

/** The position of a span's bar on the axis. The bar of a running span reaches the end. */
export function barOf({ start, end }: Span, trace: Pick<Trace, 'start' | 'end'>): Bar {
  const length = trace.end - trace.start;
  if (length <= 0) return { left: 0, width: 1 };
  const left = (start - trace.start) / length;
  return { left, width: Math.max(0, ((end ?? trace.end) - start) / length) };
}
