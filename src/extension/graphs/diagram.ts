import { isUuid } from '../../client/is-uuid.ts';

/** A graph as a diagram draws it. */
export interface Diagram {
  readonly nodes: readonly DiagramNode[];
  readonly edges: readonly DiagramEdge[];
}

export interface DiagramNode {
  readonly id: string;
  readonly name: string;
  /** The start and end markers are not nodes of the graph. */
  readonly kind: 'start' | 'end' | 'node';
}

export interface DiagramEdge {
  readonly source: string;
  readonly target: string;
  /** A conditional edge. */
  readonly conditional: boolean;
  readonly label: string | undefined;
}

type Wire = Readonly<Record<string, unknown>>;

/**
 * Validates the nodes and edges that LangGraph writes for diagrams. Nodes without an ID, and their edges, are
 * left out.
 */
export function toDiagram(wire: {
  readonly nodes: readonly Wire[];
  readonly edges: readonly Wire[];
}): Diagram {
  const nodes = wire.nodes.flatMap((node): DiagramNode[] => {
    const id = textOf(node.id);
    return id === undefined ? [] : [{ id, name: nameOf(node, id), kind: kindOf(id) }];
  });
  const known = new Set(nodes.map(({ id }) => id));
  const edges = wire.edges.flatMap(({ source, target, conditional, data }) => {
    const from = textOf(source);
    const to = textOf(target);
    if (from === undefined || to === undefined || !known.has(from) || !known.has(to)) return [];
    return [{ source: from, target: to, conditional: conditional === true, label: textOf(data) }];
  });
  return { nodes, edges };
}

/** LangGraph writes an ID as a number if it would otherwise change with every request. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The name of a node: the last part of its ID. If the ID is a UUID or a number, as in runnables that are not
 * graphs, it is the name in `data`. Otherwise, `data` is not used, because for a subgraph it has the name of
 * a class.
 */
function nameOf({ id: given, data }: Wire, id: string): string {
  if (typeof given === 'string' && !isUuid(given)) return id.split(':').at(-1) ?? id;
  if (typeof data === 'string') return textOf(data) ?? id;
  const name = typeof data === 'object' && data !== null && 'name' in data ? data.name : undefined;
  return textOf(name) ?? id;
}

function kindOf(id: string): DiagramNode['kind'] {
  if (id === '__start__') return 'start';
  return id === '__end__' ? 'end' : 'node';
}
