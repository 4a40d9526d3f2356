import { z } from 'zod';
import type { Colors } from '../terminal/colors.ts';

/** The ID of a node. LangGraph numbers nodes whose own ID is a UUID. */
const NodeId = z.union([z.string(), z.number()]).transform(String);

const Edge = z.looseObject({
  source: NodeId,
  target: NodeId,
  conditional: z.boolean().nullish(),
});

/** The edges in the order they are reached from the start; unreachable ones come last. */
function fromStart(edges: readonly z.output<typeof Edge>[]): z.output<typeof Edge>[] {
  const order = new Set(['__start__']);
  // Iterating over a set also visits items that are added during the loop.
  for (const node of order) {
    for (const { source, target } of edges) if (source === node) order.add(target);
  }
  const nodes = [...order];
  const rank = ({ source }: z.output<typeof Edge>) =>
    order.has(source) ? nodes.indexOf(source) : nodes.length;
  return edges.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * A graph as lines, one per edge; conditional edges are dotted. Edges that are not in LangGraph's form are
 * left out.
 */
export function graphLines(
  { edges }: { readonly edges: readonly object[] },
  { bold, dim }: Colors,
): string[] {
  return fromStart(edges.flatMap((edge) => Edge.safeParse(edge).data ?? [])).map(
    ({ source, target, conditional }) =>
      `${bold(source)} ${dim(conditional ? '┄┄▶' : '──▶')} ${bold(target)}`,
  );
}
