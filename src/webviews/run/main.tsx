import type { RunPanelState } from '../../extension/panels/run/messages.ts';
import { mountPanel } from '../shared/mount-panel.tsx';
import { App } from './app.tsx';
import { RunPanelStore } from './store.ts';

mountPanel({
  makeStore: (saved: RunPanelState, onChange) => new RunPanelStore(saved, onChange),
  App,
});
