import './graph-view.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Breakpoint, Drawing, PastStep } from '../../../extension/panels/run/messages.ts';
import { withPast } from '../executed-tasks.ts';
import type { PanelProps } from '../panel-props.ts';
import { GraphEdges } from './graph-edges.tsx';
import { type BreakpointKind, GraphNode, type NodeMarks } from './graph-node.tsx';
import { GraphTools, ZOOM_STEP } from './graph-tools.tsx';
import { type Heat, heatOf } from './heat.ts';
import { type Layout, layoutOf, type PlacedNode } from './layout.ts';
import { NodeDetails } from './node-details.tsx';
import { type Observed, observe } from './observed.ts';
import { roomFor, type ShownEdge, shownEdges } from './observed-drawing.ts';

const MIN_ZOOM = 0.1;
/** Below this zoom factor the text is illegible, so the drawing scrolls instead. */
const MIN_READABLE = 0.55;
const MAX_ZOOM = 4;

interface GraphViewProps extends PanelProps {
  readonly drawing: Drawing;
}

/** The drawing of the graph: what runs and has run is marked, the paths it took are drawn, and nodes show what they did. */
export function GraphView({ store, view, drawing: folded }: GraphViewProps) {
  const unfolded = useUnfolded(store, view);
  const drawing = unfolded ?? folded;
  const past = usePast(store, view);
  const { tasks } = view.transcript;
  const observed = useMemo(() => observe(drawing, withPast(past, tasks)), [drawing, past, tasks]);
  const heat = useMemo(() => heatOf(observed, view.saved.heat), [observed, view.saved.heat]);
  const edges = shownEdges(drawing, observed);
  const room = roomFor(drawing, edges);
  const placed = useMemo(() => layoutOf(room), [JSON.stringify(room)]);
  const [selected, select] = useState<string | undefined>(undefined);
  const chosen = placed.nodes.find(({ id }) => id === selected);
  const scroll = useRef<HTMLDivElement>(null);
  const fit = useFit(scroll, placed);
  const { zoom = fit } = view.saved;
  const set = (wanted: number) => store.save({ zoom: Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, wanted)) });
  return (
    <section class="graph" aria-label={l10n.t('Graph')}>
      <GraphTools store={store} view={view} zoom={zoom} onZoom={set} />
      {/* biome-ignore lint/a11y/useSemanticElements: it is not part of a form */}
      <div
        class="graph-scroll"
        ref={scroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what does not fit has to be scrolled by keyboard
        tabIndex={0}
        role="group"
        aria-label={l10n.t('Graph diagram')}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          set(event.deltaY < 0 ? zoom * ZOOM_STEP : zoom / ZOOM_STEP);
        }}
      >
        <Nodes
          {...{ store, view, placed, edges, observed, heat, zoom, selected }}
          onSelect={(id) => select(id === selected ? undefined : id)}
        />
      </div>
      {chosen !== undefined && (
        <NodeDetails
          store={store}
          view={view}
          node={chosen}
          version={`${view.transcript.resets} ${versionOf(observed, chosen)} ${view.transcript.status}`}
          onClose={() => select(undefined)}
        />
      )}
    </section>
  );
}

interface NodesProps extends PanelProps {
  readonly placed: Layout;
  readonly edges: readonly ShownEdge[];
  readonly observed: Observed;
  readonly heat: ReadonlyMap<string, Heat>;
  readonly zoom: number;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

function Nodes({ store, view, placed, edges, observed, heat, zoom, selected, onSelect }: NodesProps) {
  const { lights } = view.transcript;
  const { options } = view.saved;
  const written = placed.nodes.filter(({ kind }) => kind === 'node');
  const [focused, setFocused] = useState<string | undefined>(undefined);
  const reachable = written.some(({ id }) => id === focused) ? focused : written[0]?.id;
  const drawing = useRef<SVGSVGElement>(null);

  const active = written.find(({ id }) => {
    const state = Object.hasOwn(lights, id) ? lights[id]?.state : undefined;
    return state === 'running' || state === 'waiting' || state === 'failed';
  });
  // Scrolls to the running node.
  useEffect(() => {
    if (active === undefined || drawing.current?.contains(document.activeElement)) return;
    const elements = [...(drawing.current?.querySelectorAll<SVGGElement>('.node') ?? [])];
    const element = elements.find(({ dataset }) => dataset.id === active.id);
    element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active?.id]);

  const marksOf = ({ id }: PlacedNode): NodeMarks => ({
    light: Object.hasOwn(lights, id) ? lights[id] : undefined,
    stopsBefore: options.interrupt_before.includes(id),
    stopsAfter: options.interrupt_after.includes(id),
    breakpoint: kindOf(options.breakpoints?.find(({ node }) => node === id)),
    isUnrun: observed.nodes.size > 0 && !observed.nodes.has(id),
    heat: heat.get(id),
  });
  const toggleBreakpoint = (name: string): void => {
    const others = options.interrupt_before.filter((one) => one !== name);
    const isSet = others.length < options.interrupt_before.length;
    store.save({ options: { ...options, interrupt_before: isSet ? others : [...others, name] } });
  };
  const open = ({ id, name }: PlacedNode): void => {
    if (id === name) void store.ask('openSource', { node: name });
  };
  const onKey = (event: KeyboardEvent, node: PlacedNode): void => {
    const { id, name } = node;
    if (event.key === 'Enter' || event.key === ' ') onSelect(id);
    else if (event.key === 'F12') open(node);
    // LangGraph stops before the nodes of the graph itself only.
    else if (event.key === 'F9' && id === name) toggleBreakpoint(name);
    else {
      const next = nearest(written, node, event.key);
      if (next === undefined) return;
      setFocused(next.id);
      const elements = [...(drawing.current?.querySelectorAll<SVGGElement>('.node') ?? [])];
      elements.find(({ dataset }) => dataset.id === next.id)?.focus();
    }
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: it is a drawing whose nodes are buttons
    <svg
      ref={drawing}
      role="group"
      aria-label={l10n.t(
        'Nodes. Press the arrow keys to move between nodes, Enter to show input and output, F12 to open the source, or F9 to set a breakpoint.',
      )}
      width={placed.width * zoom}
      height={placed.height * zoom}
      viewBox={`0 0 ${placed.width} ${placed.height}`}
    >
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
      <GraphEdges placed={placed} edges={edges} />
      {placed.nodes.map((node) => (
        <GraphNode
          key={node.id}
          node={node}
          marks={marksOf(node)}
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

/** The graph with its subgraphs drawn in it, where that is wanted and can be done. */
function useUnfolded(store: PanelProps['store'], view: PanelProps['view']): Drawing | undefined {
  const { unfolded } = view.saved;
  const assistantId = view.session?.assistant_id;
  const [drawn, setDrawn] = useState<{ readonly of: string | undefined; readonly drawing: Drawing }>();
  useEffect(() => {
    if (!unfolded) return;
    void store.ask('drawUnfolded', {}).then((drawing) => {
      if (drawing !== undefined) setDrawn({ of: assistantId, drawing });
    });
  }, [store, unfolded, assistantId]);
  return unfolded && drawn?.of === assistantId ? drawn?.drawing : undefined;
}

/** What the thread had gone through when it was shown. What comes later, the panel sees itself. */
function usePast(store: PanelProps['store'], { transcript }: PanelProps['view']): readonly PastStep[] {
  const { threadId, resets } = transcript;
  const key = `${resets} ${threadId ?? ''}`;
  const [read, setRead] = useState<{ readonly of: string; readonly steps: readonly PastStep[] }>();
  useEffect(() => {
    if (threadId === undefined) return;
    void store.quietly('pastSteps', {}).then((steps = []) => setRead({ of: key, steps }));
  }, [store, threadId, key]);
  return read?.of === key ? read.steps : NO_STEPS;
}

const NO_STEPS: readonly PastStep[] = [];

function kindOf(breakpoint: Breakpoint | undefined): BreakpointKind {
  if (breakpoint?.log !== undefined) return 'log';
  const { condition, hit_count } = breakpoint ?? {};
  return condition === undefined && hit_count === undefined ? 'plain' : 'conditional';
}

/** Another one for each time that a node has run. */
function versionOf({ nodes }: Observed, { id }: PlacedNode): string {
  const known = nodes.get(id);
  return known === undefined ? '' : `${known.lastId} ${known.runs}`;
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
    const distance = along + aside * 2;
    if (along > 1 && distance < least) {
      best = node;
      least = distance;
    }
  }
  return best;
}

/** How large the drawing is when all of it is seen; never larger than life. */
function useFit(scroll: { readonly current: HTMLDivElement | null }, { width, height }: Layout): number {
  const [fit, setFit] = useState(1);
  useLayoutEffect(() => {
    const element = scroll.current;
    if (element === null) return undefined;
    const measure = () => {
      const { clientWidth, clientHeight } = element;
      if (clientWidth === 0 || clientHeight === 0) return;
      setFit(Math.max(MIN_READABLE, Math.min(1, clientWidth / width, clientHeight / height)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [scroll, width, height]);
  return fit;
}
