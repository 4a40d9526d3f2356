import type { TracePanelStore, TraceView } from './store.ts';

/** What every part of the panel is given. */
export interface PanelProps {
  readonly store: TracePanelStore;
  readonly view: TraceView;
}
