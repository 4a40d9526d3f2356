import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RunPanelState } from '../../extension/panels/run/messages.ts';
import '../shared/base.css';
import '../shared/feedback/feedback.css';
import '../shared/form/form.css';
import { App } from './app.tsx';
import './run.css';
import { RunPanelStore } from './store.ts';

const { l10nBundle, state } = document.body.dataset;
if (l10nBundle !== undefined) l10n.config({ contents: l10nBundle });

// The host has checked it, or made it.
const saved: RunPanelState = JSON.parse(state ?? '');

let redraw: () => void = () => {};
const store = new RunPanelStore(saved, () => redraw());

function Panel() {
  const [, setVersion] = useState(0);
  useEffect(() => {
    redraw = () => setVersion((version) => version + 1);
    void store.open();
  }, []);
  return <App store={store} view={store.view} />;
}

render(<Panel />, document.body);
