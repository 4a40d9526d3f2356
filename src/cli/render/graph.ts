import { z } from 'zod';
import { type Colors, printable } from '../terminal.ts';

const Edge = z.looseObject({
  source: z.string(),
  target: z.string(),
  conditional: z.boolean().nullish(),
});

/** The edges in the order in which one comes to them from the start; those that nothing leads to are last. */
function fromStart(edges: readonly z.output<typeof Edge>[]): z.output<typeof Edge>[] {
  const order = new Set(['__start__']);
  // A set that grows while it is gone through goes on with what was added.
  for (const node of order) {
    for (const { source, target } of edges) if (source === node) order.add(target);
  }
  const nodes = [...order];
  const rank = ({ source }: z.output<typeof Edge>) =>
    order.has(source) ? nodes.indexOf(source) : nodes.length;
  return edges.toSorted((a, b) => rank(a) - rank(b));
}

/** A graph as lines, one per edge; conditional edges are dotted. */
export function graphLines(
  { edges }: { readonly edges: readonly object[] },
  { bold, dim }: Colors,
): string[] {
  return fromStart(edges.flatMap((edge) => Edge.safeParse(edge).data ?? [])).map(
    ({ source, target, conditional }) =>
      `${bold(printable(source))} ${dim(conditional ? '┄┄▶' : '──▶')} ${bold(printable(target))}`,
  );
}
