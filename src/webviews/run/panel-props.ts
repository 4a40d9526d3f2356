import type { PanelView } from './panel-view.ts';
import type { RunPanelStore } from './store.ts';

/** What every part of the panel is given. */
export interface PanelProps {
  readonly store: RunPanelStore;
  readonly view: PanelView;
}
