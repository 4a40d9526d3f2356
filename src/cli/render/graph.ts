import { z } from 'zod';
import { type Colors, printable } from '../terminal.ts';

const Edge = z.looseObject({
  source: z.string(),
  target: z.string(),
  conditional: z.boolean().nullish(),
});

/** A graph as lines, one per edge; conditional edges are dotted. */
export function graphLines(
  { edges }: { readonly edges: readonly object[] },
  { bold, dim }: Colors,
): string[] {
  return edges
    .flatMap((edge) => Edge.safeParse(edge).data ?? [])
    .map(
      ({ source, target, conditional }) =>
        `${bold(printable(source))} ${dim(conditional ? '┄┄▶' : '──▶')} ${bold(printable(target))}`,
    );
}
