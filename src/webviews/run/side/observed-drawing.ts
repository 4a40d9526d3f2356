import * as l10n from '@vscode/l10n';
import type { Drawing, DrawnEdge } from '../../../extension/panels/run/messages.ts';
import { keyOf, type Observed, type ObservedEdge } from './observed.ts';

/** A line of the drawing: declared, observed, or both. */
export interface ShownEdge extends DrawnEdge {
  readonly observed: ObservedEdge | undefined;
  readonly isDeclared: boolean;
}

/** As wide as most of what is written at an observed edge, so that the drawing stays while it counts. */
const ROOM = '00× 100 %';

/** The lines to draw: what is declared, and what was observed besides. */
export function shownEdges({ edges }: Drawing, observed: Observed): ShownEdge[] {
  const known = new Map(observed.edges.map((edge) => [keyOf(edge.source, edge.target), edge]));
  const declared = edges.map((edge) => ({
    ...edge,
    observed: known.get(keyOf(edge.source, edge.target)),
    isDeclared: true,
  }));
  const others = observed.edges
    .filter(({ isDeclared }) => !isDeclared)
    .map(({ source, target }) => ({
      source,
      target,
      conditional: true,
      label: undefined,
      observed: known.get(keyOf(source, target)),
      isDeclared: false,
    }));
  return [...declared, ...others];
}

/** The drawing with room for what is written at its edges; equal as long as nothing has to move. */
export function roomFor({ nodes }: Drawing, edges: readonly ShownEdge[]): Drawing {
  return {
    nodes,
    edges: edges.map(({ source, target, conditional, label, ...edge }) => ({
      source,
      target,
      conditional,
      label: textOf({ ...edge, label, conditional }) === undefined ? undefined : `${label ?? ''}${ROOM}`,
    })),
  };
}

/** What is written at an edge. An edge that is always taken has no label. */
export function textOf({
  label,
  conditional,
  observed,
}: Pick<ShownEdge, 'label' | 'conditional' | 'observed'>): string | undefined {
  if (observed === undefined || !conditional) return label;
  const share = Math.round(observed.share * 100);
  const times = observed.share === 1 ? `${observed.count}×` : l10n.t('{0}× {1}%', observed.count, share);
  return label === undefined ? times : `${label} ${times}`;
}
