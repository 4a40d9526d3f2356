import './graph-view.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Diagram, PastStep } from '../../../extension/panels/run/messages.ts';
import { withPast } from '../executed-tasks.ts';
import type { PanelProps } from '../panel-props.ts';
import { GraphNodes } from './graph-nodes.tsx';
import { GraphTools, ZOOM_STEP } from './graph-tools.tsx';
import { heatOf } from './heat.ts';
import { type Layout, layoutOf, type PlacedNode } from './layout.ts';
import { NodeDetails } from './node-details.tsx';
import { type Observed, observe } from './observed.ts';
import { roomFor, shownEdges } from './observed-diagram.ts';

const MIN_ZOOM = 0.1;
/** Below this zoom factor, text is illegible. A diagram that does not fit at this factor is scrolled. */
const MIN_READABLE = 0.55;
const MAX_ZOOM = 4;

interface GraphViewProps extends PanelProps {
  readonly diagram: Diagram;
}

/**
 * The diagram of the graph. It marks nodes that are running or have run, and the edges that were taken. Selecting a node
 * shows its input and output.
 */
export function GraphView({ store, view, diagram: folded }: GraphViewProps) {
  const unfolded = useUnfolded(store, view);
  const diagram = unfolded ?? folded;
  const past = usePast(store, view);
  const { tasks } = view.transcript;
  const observed = useMemo(() => observe(diagram, withPast(past, tasks)), [diagram, past, tasks]);
  const heat = useMemo(() => heatOf(observed, view.saved.heat), [observed, view.saved.heat]);
  const edges = shownEdges(diagram, observed);
  const room = roomFor(diagram, edges);
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard
        tabIndex={0}
        role="group"
        aria-label={l10n.t('Graph diagram')}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          set(event.deltaY < 0 ? zoom * ZOOM_STEP : zoom / ZOOM_STEP);
        }}
      >
        <GraphNodes
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

/** The diagram with its subgraphs expanded, if that is requested and possible. */
function useUnfolded(store: PanelProps['store'], view: PanelProps['view']): Diagram | undefined {
  const { unfolded } = view.saved;
  const assistantId = view.session?.assistant_id;
  const [drawn, setDrawn] = useState<{ readonly of: string | undefined; readonly diagram: Diagram }>();
  useEffect(() => {
    if (!unfolded) return;
    void store.ask('drawUnfolded', {}).then((diagram) => {
      if (diagram !== undefined) setDrawn({ of: assistantId, diagram });
    });
  }, [store, unfolded, assistantId]);
  return unfolded && drawn?.of === assistantId ? drawn?.diagram : undefined;
}

/** The supersteps of the thread before the panel showed it. The panel observes later ones itself. */
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

/** A text that changes each time a node has run. */
function versionOf({ nodes }: Observed, { id }: PlacedNode): string {
  const known = nodes.get(id);
  return known === undefined ? '' : `${known.lastId} ${known.runs}`;
}

/** The zoom factor at which the whole diagram fits, between `MIN_READABLE` and 1. */
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
