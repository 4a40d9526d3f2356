import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Breakpoint, RunOptions } from '../../../extension/panels/run/messages.ts';
import type { PanelProps } from '../panel-props.ts';
import { toggle } from '../toggle.ts';
import type { NodeProgress } from '../transcript-model.ts';
import { GraphEdges } from './graph-edges.tsx';
import { type BreakpointKind, GraphNode, type NodeMarks } from './graph-node.tsx';
import type { Heat } from './heat.ts';
import type { Layout, PlacedNode } from './layout.ts';
import type { Observed } from './observed.ts';
import type { ShownEdge } from './observed-diagram.ts';

interface GraphNodesProps extends PanelProps {
  readonly placed: Layout;
  readonly edges: readonly ShownEdge[];
  /** The known executions of nodes, and the edges that they took. */
  readonly observed: Observed;
  /** The heat of each drawn node, by its ID. */
  readonly heat: ReadonlyMap<string, Heat>;
  readonly zoom: number;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

/**
 * The edges of the graph, and its nodes, which can be selected, opened and given breakpoints by mouse and keyboard.
 */
export function GraphNodes(props: GraphNodesProps) {
  const { store, view, placed, edges, observed, heat, zoom, selected, onSelect } = props;
  const { nodeProgress } = view.transcript;
  const { options } = view.saved;
  const userNodes = placed.nodes.filter(({ kind }) => kind === 'node');
  const [focused, setFocused] = useState<string | undefined>(undefined);
  const reachable = userNodes.some(({ id }) => id === focused) ? focused : userNodes[0]?.id;
  const diagram = useRef<SVGSVGElement>(null);
  useScrollToActive(diagram, userNodes, nodeProgress);

  const open = ({ id, name }: PlacedNode): void => {
    if (id === name) void store.ask('openSource', { node: name });
  };
  const onKey = (event: KeyboardEvent, node: PlacedNode): void => {
    const { id, name } = node;
    if (event.key === 'Enter' || event.key === ' ') onSelect(id);
    else if (event.key === 'F12') open(node);
    // LangGraph only stops before nodes of the graph itself, not those of subgraphs.
    else if (event.key === 'F9' && id === name)
      store.save({ options: { ...options, interrupt_before: toggle(options.interrupt_before, name) } });
    else {
      const next = nearest(userNodes, node, event.key);
      if (next === undefined) return;
      setFocused(next.id);
      elementOf(diagram.current, next.id)?.focus();
    }
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: its nodes are buttons
    <svg
      ref={diagram}
      role="group"
      aria-label={l10n.t(
        'Nodes. Press the arrow keys to move between nodes, Enter to show input and output, F12 to open the source, or F9 to set a breakpoint.',
      )}
      width={placed.width * zoom}
      height={placed.height * zoom}
      viewBox={`0 0 ${placed.width} ${placed.height}`}
    >
      <Arrowhead />
      <GraphEdges placed={placed} edges={edges} />
      {placed.nodes.map((node) => (
        <GraphNode
          key={node.id}
          node={node}
          marks={{
            progress: progressAt(nodeProgress, node),
            ...breakpointMarks(options, node),
            isUnrun: observed.nodes.size > 0 && !observed.nodes.has(node.id),
            heat: heat.get(node.id),
          }}
          isReachable={node.id === reachable}
          isSelected={node.id === selected}
          onFocus={() => setFocused(node.id)}
          onSelect={() => onSelect(node.id)}
          onOpen={() => open(node)}
          onKey={(event) => onKey(event, node)}
        />
      ))}
    </svg>
  );
}

/** The arrowhead of all edges. */
function Arrowhead() {
  return (
    <defs>
      <marker
        id="arrow"
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth="7"
        markerHeight="7"
        orient="auto-start-reverse"
      >
        <path d="M0,0.5L7.5,4L0,7.5z" class="arrow" />
      </marker>
    </defs>
  );
}

type ProgressByNode = Readonly<Record<string, NodeProgress>>;

/**
 * Scrolls to the node that is running, waiting, paused or failed, unless the keyboard is used in the diagram.
 */
function useScrollToActive(
  diagram: { readonly current: SVGSVGElement | null },
  nodes: readonly PlacedNode[],
  nodeProgress: ProgressByNode,
): void {
  const active = nodes.find((node) => {
    const state = progressAt(nodeProgress, node)?.state;
    return state !== undefined && state !== 'idle' && state !== 'done';
  });
  useEffect(() => {
    if (active === undefined || diagram.current?.contains(document.activeElement)) return;
    elementOf(diagram.current, active.id)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active?.id]);
}

function elementOf(diagram: SVGSVGElement | null, id: string): SVGGElement | undefined {
  const elements = [...(diagram?.querySelectorAll<SVGGElement>('.node') ?? [])];
  return elements.find(({ dataset }) => dataset.id === id);
}

function progressAt(nodeProgress: ProgressByNode, { id }: PlacedNode): NodeProgress | undefined {
  return Object.hasOwn(nodeProgress, id) ? nodeProgress[id] : undefined;
}

function breakpointMarks(
  { interrupt_before: before, interrupt_after: after, breakpoints }: RunOptions,
  { id }: PlacedNode,
): Pick<NodeMarks, 'stopsBefore' | 'stopsAfter' | 'breakpoint'> {
  return {
    stopsBefore: before.includes(id),
    stopsAfter: after.includes(id),
    breakpoint: kindOf(breakpoints?.find(({ node }) => node === id)),
  };
}

function kindOf(breakpoint: Breakpoint | undefined): BreakpointKind {
  if (breakpoint?.log !== undefined) return 'log';
  const { condition, hit_count } = breakpoint ?? {};
  return condition === undefined && hit_count === undefined ? 'plain' : 'conditional';
}

/** The nearest node in an arrow key's direction. */
function nearest(nodes: readonly PlacedNode[], from: PlacedNode, key: string): PlacedNode | undefined {
  const dx = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
  const dy = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
  if (dx === 0 && dy === 0) return undefined;
  let best: PlacedNode | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const node of nodes) {
    const along = (node.x - from.x) * dx + (node.y - from.y) * dy;
    const aside = Math.abs((node.x - from.x) * dy) + Math.abs((node.y - from.y) * dx);
    // Nodes in a straight line are preferred. Those beside this one are not in this direction.
    const distance = along + aside * 2;
    if (along > 1 && distance < least) {
      best = node;
      least = distance;
    }
  }
  return best;
}
