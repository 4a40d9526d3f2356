import type { PanelView } from './panel-view.ts';
import type { RunPanelStore } from './store.ts';

/** The props of every part of the panel. */
export interface PanelProps {
  readonly store: RunPanelStore;
  readonly view: PanelView;
}
