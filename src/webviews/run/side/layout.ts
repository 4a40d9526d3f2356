import { Graph, layout } from '@dagrejs/dagre';
import type { Diagram, DiagramEdge, DiagramNode } from '../../../extension/panels/run/messages.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode extends DiagramNode {
  /** The center of the node. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PlacedEdge extends DiagramEdge {
  readonly id: string;
  readonly points: readonly Point[];
  readonly labelAt: Point | undefined;
}

/** The box around the nodes of a subgraph that is drawn in its graph. */
interface PlacedGroup extends Point {
  readonly id: string;
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly groups: readonly PlacedGroup[];
  readonly edges: readonly PlacedEdge[];
}

const NODE_HEIGHT = 32;
const TERMINAL_WIDTH = 56;
const MIN_NODE_WIDTH = 72;
/** The width of a node besides its name: for its sign and the number of its runs. */
const NODE_PADDING = 56;
const MARGIN = 12;
/** The average width of a letter in pixels. */
const LETTER_WIDTH = 7.2;
/** The maximum number of letters of a name that are shown. */
const MAX_NAME = 28;

/** Lays out nodes and edges from the top down. All sizes and positions are in pixels. */
export function layoutOf({ nodes, edges }: Diagram): Layout {
  const graph = new Graph({ multigraph: true, compound: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 20, ranksep: 40, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { width: widthOf(node), height: NODE_HEIGHT });
  const groups = new Set(nodes.flatMap(({ id, kind }) => (kind === 'node' ? groupsOf(id) : [])));
  for (const id of groups) graph.setNode(id, {});
  for (const id of [...groups, ...nodes.map((node) => node.id)]) {
    const [parent] = groupsOf(id);
    if (parent !== undefined && groups.has(parent)) graph.setParent(id, parent);
  }
  for (const [index, { source, target, label }] of edges.entries()) {
    const room = label === undefined ? {} : { width: label.length * LETTER_WIDTH, height: 16, labelpos: 'c' };
    graph.setEdge(source, target, room, String(index));
  }
  layout(graph);
  const placed = nodes.map((node) => {
    const at: unknown = graph.node(node.id);
    return { ...node, x: numberAt(at, 'x'), y: numberAt(at, 'y'), width: widthOf(node), height: NODE_HEIGHT };
  });
  const drawn = edges.map((edge, index) => {
    const at: { readonly points?: readonly Point[] } = graph.edge(edge.source, edge.target, String(index));
    const labelAt = edge.label === undefined ? undefined : { x: numberAt(at, 'x'), y: numberAt(at, 'y') };
    return { ...edge, id: String(index), points: at.points ?? [], labelAt };
  });
  const boxes = [...groups].map((id) => {
    const at: unknown = graph.node(id);
    const [x, y] = [numberAt(at, 'x'), numberAt(at, 'y')];
    const name = id.split(':').at(-1) ?? id;
    return { id, name, x, y, width: numberAt(at, 'width'), height: numberAt(at, 'height') };
  });
  const whole: unknown = graph.graph();
  return widen(drawn, {
    width: numberAt(whole, 'width'),
    height: numberAt(whole, 'height'),
    nodes: placed,
    groups: boxes,
  });
}

/** Adds space for edges to the left and right of all nodes, for which dagre reserves none. */
function widen(
  edges: readonly PlacedEdge[],
  { width, height, nodes, groups }: Omit<Layout, 'edges'>,
): Layout {
  const xs = edges.flatMap(({ points }) => points.map(({ x }) => x));
  const left = Math.max(0, MARGIN - Math.min(MARGIN, ...xs));
  const right = Math.max(0, Math.max(width - MARGIN, ...xs) - (width - MARGIN));
  const moved = <P extends Point>(point: P): P => ({ ...point, x: point.x + left });
  return {
    width: width + left + right,
    height,
    nodes: nodes.map(moved),
    groups: groups.map(moved),
    edges: edges.map((edge) => ({
      ...edge,
      points: edge.points.map(moved),
      labelAt: edge.labelAt && moved(edge.labelAt),
    })),
  };
}

/** The SVG path of an edge through its points, with rounded corners. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let path = `M${round(first.x)},${round(first.y)}`;
  for (const [index, point] of rest.entries()) {
    const next = rest[index + 1];
    // A quadratic curve to the midpoint of the next segment, with this point as its control point.
    path +=
      next === undefined
        ? `L${round(point.x)},${round(point.y)}`
        : `Q${round(point.x)},${round(point.y)} ${round((point.x + next.x) / 2)},${round((point.y + next.y) / 2)}`;
  }
  return path;
}

/** A name, shortened to fit into its box. */
export function shortName(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}

/** The names of the user's nodes: all nodes except start and end. */
export function nodesOf(diagram: Diagram | undefined): string[] {
  return diagram?.nodes.flatMap(({ kind, name }) => (kind === 'node' ? [name] : [])) ?? [];
}

/** The IDs of the subgraphs that contain a node, the innermost first. The ID of a node is like `child:inner:model`. */
function groupsOf(id: string): string[] {
  const parts = id.split(':');
  return parts.slice(1).map((_, index) => parts.slice(0, parts.length - 1 - index).join(':'));
}

function widthOf({ name, kind }: DiagramNode): number {
  if (kind !== 'node') return TERMINAL_WIDTH;
  return Math.max(MIN_NODE_WIDTH, shortName(name).length * LETTER_WIDTH + NODE_PADDING);
}

function numberAt(value: unknown, key: 'x' | 'y' | 'width' | 'height'): number {
  if (typeof value !== 'object' || value === null || !(key in value)) return 0;
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'number' ? found : 0;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
