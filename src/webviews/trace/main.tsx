import type { TracePanelState } from '../../extension/panels/trace/messages.ts';
import { mountPanel } from '../shared/mount-panel.tsx';
import { App } from './app.tsx';
import { TracePanelStore } from './store.ts';

mountPanel({
  makeStore: (saved: TracePanelState, onChange) => new TracePanelStore(saved, onChange),
  App,
});
