import * as l10n from '@vscode/l10n';
import type { Diagram, DiagramEdge } from '../../../extension/panels/run/messages.ts';
import { keyOf, type Observed, type ObservedEdge } from './observed.ts';

/** An edge of the diagram: declared by the graph, observed in runs, or both. */
export interface ShownEdge extends DiagramEdge {
  readonly isTaken: boolean;
  readonly isDeclared: boolean;
  /** The text at the edge: its label, and how often it was taken. */
  readonly text: string | undefined;
}

/** A text as wide as most counts, for which space is reserved, so that the diagram does not move while counts grow. */
const COUNT_PLACEHOLDER = '00× 100%';

/** The edges to draw: the declared ones, and others that were observed. */
export function shownEdges({ edges }: Diagram, observed: Observed): ShownEdge[] {
  const known = new Map(observed.edges.map((edge) => [keyOf(edge.source, edge.target), edge]));
  const others = observed.edges
    .filter(({ isDeclared }) => !isDeclared)
    .map(({ source, target }) => ({ source, target, conditional: true, label: undefined }));
  const all = [...edges, ...others];
  const leaving = Map.groupBy(all, ({ source }) => source);
  return all.map((edge, index) => {
    const taken = known.get(keyOf(edge.source, edge.target));
    const isOnly = leaving.get(edge.source)?.length === 1;
    return {
      ...edge,
      isTaken: taken !== undefined,
      isDeclared: index < edges.length,
      text: textOf(edge.label, taken, isOnly),
    };
  });
}

/** The diagram to lay out, with space for the texts at its edges. It only changes when the drawing has to move. */
export function roomFor({ nodes }: Diagram, edges: readonly ShownEdge[]): Diagram {
  // Once one edge shows a count, every edge gets space for one, because any of them may be taken next.
  const counts = edges.some(({ isTaken }) => isTaken);
  return {
    nodes,
    edges: edges.map(({ source, target, conditional, label }) => ({
      source,
      target,
      conditional,
      label: counts ? `${label ?? ''}${COUNT_PLACEHOLDER}` : label,
    })),
  };
}

/**
 * The text at an edge.
 * @param isOnly whether it is the only edge that leaves its node, so that its share is always 100%
 */
function textOf(
  label: string | undefined,
  taken: ObservedEdge | undefined,
  isOnly: boolean,
): string | undefined {
  if (taken === undefined) return label;
  const share = Math.round(taken.share * 100);
  const times = isOnly ? `${taken.count}×` : l10n.t('{0}× {1}%', taken.count, share);
  return label === undefined ? times : `${label} ${times}`;
}
