import type { ExperimentsPanelState } from '../../extension/panels/experiments/messages.ts';
import { mountPanel } from '../shared/mount-panel.tsx';
import { App } from './app.tsx';
import { ExperimentsPanelStore } from './store.ts';

mountPanel({
  makeStore: (saved: ExperimentsPanelState, onChange) => new ExperimentsPanelStore(saved, onChange),
  App,
});
