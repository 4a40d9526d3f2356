import type { RunPanelState } from '../../extension/panels/run/messages.ts';
import { mountPanel } from '../shared/mount-panel.tsx';
import '../shared/form/form.css';
import { App } from './app.tsx';
import './run.css';
import { RunPanelStore } from './store.ts';

mountPanel({
  makeStore: (saved: RunPanelState, onChange) => new RunPanelStore(saved, onChange),
  App,
});
