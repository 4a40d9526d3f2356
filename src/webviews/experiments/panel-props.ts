import type { ExperimentsPanelStore, ExperimentsView } from './store.ts';

/** The props of every part of the panel. */
export interface PanelProps {
  readonly store: ExperimentsPanelStore;
  readonly view: ExperimentsView;
}
