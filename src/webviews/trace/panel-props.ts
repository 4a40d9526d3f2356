import type { TracePanelStore, TraceView } from './store.ts';

/** The props of every part of the panel. */
export interface PanelProps {
  readonly store: TracePanelStore;
  readonly view: TraceView;
}
