import './graph-view.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Drawing } from '../../../extension/panels/run/messages.ts';
import { Action } from '../../shared/action.tsx';
import type { PanelProps } from '../panel-props.ts';
import { GraphNode, type NodeMarks } from './graph-node.tsx';
import { type Layout, layoutOf, type PlacedNode, pathOf } from './layout.ts';

const ZOOM_STEP = 1.2;
const MIN_ZOOM = 0.1;
/** Smaller than this nothing can be read: the drawing is scrolled then. */
const MIN_READABLE = 0.55;
const MAX_ZOOM = 4;

interface GraphViewProps extends PanelProps {
  readonly drawing: Drawing;
}

/** The drawing of the graph: running and finished nodes are marked, and nodes link to their source. */
export function GraphView({ store, view, drawing }: GraphViewProps) {
  const placed = useMemo(() => layoutOf(drawing), [drawing]);
  const scroll = useRef<HTMLDivElement>(null);
  const fit = useFit(scroll, placed);
  const { zoom = fit } = view.saved;
  const set = (wanted: number) => store.save({ zoom: Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, wanted)) });
  return (
    <section class="graph" aria-label={l10n.t('Graph')}>
      <div class="graph-tools" role="toolbar" aria-label={l10n.t('Zoom')}>
        <Action icon="zoom-in" label={l10n.t('Zoom in')} onClick={() => set(zoom * ZOOM_STEP)} />
        <Action icon="zoom-out" label={l10n.t('Zoom out')} onClick={() => set(zoom / ZOOM_STEP)} />
        <Action icon="target" label={l10n.t('Fit')} onClick={() => store.save({ zoom: undefined })} />
        <Action
          icon={view.saved.wide ? 'screen-normal' : 'screen-full'}
          label={view.saved.wide ? l10n.t('Show the output beside the graph') : l10n.t('Show only the graph')}
          onClick={() => store.save({ wide: !view.saved.wide })}
        />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: it is no part of a form */}
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
        <Nodes store={store} view={view} placed={placed} zoom={zoom} />
      </div>
    </section>
  );
}

interface NodesProps extends PanelProps {
  readonly placed: Layout;
  readonly zoom: number;
}

function Nodes({ store, view, placed, zoom }: NodesProps) {
  const { lights } = view.transcript;
  const { options } = view.saved;
  const written = placed.nodes.filter(({ kind }) => kind === 'node');
  const [focused, setFocused] = useState<string | undefined>(undefined);
  const reachable = written.some(({ id }) => id === focused) ? focused : written[0]?.id;
  const drawing = useRef<SVGSVGElement>(null);

  const active = written.find(({ name }) => {
    const state = Object.hasOwn(lights, name) ? lights[name]?.state : undefined;
    return state === 'running' || state === 'waiting' || state === 'failed';
  });
  // Scrolls to the running node.
  useEffect(() => {
    if (active === undefined || drawing.current?.contains(document.activeElement)) return;
    const elements = [...(drawing.current?.querySelectorAll<SVGGElement>('.node') ?? [])];
    const element = elements.find(({ dataset }) => dataset.id === active.id);
    element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active?.id]);

  const marksOf = ({ name }: PlacedNode): NodeMarks => ({
    light: Object.hasOwn(lights, name) ? lights[name] : undefined,
    stopsBefore: options.interrupt_before.includes(name),
    stopsAfter: options.interrupt_after.includes(name),
  });
  const toggleBreakpoint = (name: string): void => {
    const others = options.interrupt_before.filter((one) => one !== name);
    const isSet = others.length < options.interrupt_before.length;
    store.save({ options: { ...options, interrupt_before: isSet ? others : [...others, name] } });
  };
  const onKey = (event: KeyboardEvent, node: PlacedNode): void => {
    if (event.key === 'Enter' || event.key === ' ') void store.ask('openSource', { node: node.name });
    else if (event.key === 'F9') toggleBreakpoint(node.name);
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
        'Nodes. Press the arrow keys to move between nodes, Enter to open the source, or F9 to set a breakpoint.',
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
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus */}
      <g aria-hidden="true">
        {placed.edges.map(({ id, points, conditional, label, labelAt }) => (
          <g key={id} class={conditional ? 'edge conditional' : 'edge'}>
            <path d={pathOf(points)} marker-end="url(#arrow)" />
            {label !== undefined && labelAt !== undefined && (
              <text x={labelAt.x} y={labelAt.y} dy="0.35em">
                {label}
              </text>
            )}
          </g>
        ))}
      </g>
      {placed.nodes.map((node) => (
        <GraphNode
          key={node.id}
          node={node}
          marks={marksOf(node)}
          isReachable={node.id === reachable}
          onFocus={() => setFocused(node.id)}
          onOpen={() => void store.ask('openSource', { node: node.name })}
          onKey={(event) => onKey(event, node)}
        />
      ))}
    </svg>
  );
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
