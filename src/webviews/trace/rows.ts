import type { SpanNode, Trace } from './waterfall.ts';

/** Decides which rows of a trace are visible. */
export interface RowFilter {
  /** The IDs of collapsed spans. */
  readonly folded: ReadonlySet<string>;
  /** A part of the name to search for, regardless of case; empty for all spans. */
  readonly query: string;
  readonly onlyErrors: boolean;
}

export interface Row {
  readonly node: SpanNode;
  /** Whether the span matches the search; otherwise it is an ancestor of a match. */
  readonly matches: boolean;
  /** `undefined` for a span without children. */
  readonly isUnfolded: boolean | undefined;
  /** Position among visible siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
}

/** The visible rows. Matches of a search are shown with all their ancestors, even below collapsed spans. */
export function rowsOf(trace: Trace, { folded, query, onlyErrors }: RowFilter): Row[] {
  const filter = filterOf(query, onlyErrors);
  const kept = filter && withAncestors(trace, filter);
  const isKept = (node: SpanNode) => kept === undefined || kept.has(node);
  const rows: Row[] = [];
  const { root } = trace;
  if (root === undefined || !isKept(root)) return rows;
  const remaining = [{ node: root, position: 1, siblings: 1 }];
  for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
    const { node } = next;
    const children = kept === undefined ? node.children : node.children.filter(isKept);
    const isUnfolded = children.length === 0 ? undefined : kept !== undefined || !folded.has(node.span.id);
    rows.push({ ...next, matches: filter === undefined || filter(node), isUnfolded });
    if (!isUnfolded) continue;
    for (let at = children.length - 1; at >= 0; at--) {
      const child = children[at];
      if (child !== undefined) remaining.push({ node: child, position: at + 1, siblings: children.length });
    }
  }
  return rows;
}

function filterOf(query: string, onlyErrors: boolean): ((node: SpanNode) => boolean) | undefined {
  const wanted = query.trim().toLowerCase();
  if (wanted === '' && !onlyErrors) return undefined;
  return ({ span }) => (!onlyErrors || span.status === 'error') && span.name.toLowerCase().includes(wanted);
}

/** The matching spans and their ancestors. */
function withAncestors(trace: Trace, matches: (node: SpanNode) => boolean): ReadonlySet<SpanNode> {
  const kept = new Set<SpanNode>();
  for (const match of trace.order) {
    if (!matches(match)) continue;
    for (let node: SpanNode | undefined = match; node && !kept.has(node); node = node.parent) kept.add(node);
  }
  return kept;
}
