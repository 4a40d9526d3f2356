import './app.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../shared/icon.tsx';
import { Details } from './details/details.tsx';
import { Header } from './header.tsx';
import type { PanelProps } from './panel-props.ts';
import { Splitter } from './splitter.tsx';
import type { TracePanelStore } from './store.ts';
import { Tree } from './tree.tsx';
import { nextError } from './waterfall.ts';

export function App({ store, view }: PanelProps) {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (handleKey(event, store)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [store]);
  const { split } = view.saved;
  return (
    <>
      <Header store={store} view={view} />
      <Problem store={store} view={view} />
      <main ref={main} style={{ '--split': `${(split * 100).toFixed(2)}%` }}>
        <Tree store={store} view={view} />
        <Splitter container={main} value={split} onChange={(value) => store.show({ split: value })} />
        <Details store={store} view={view} />
      </main>
    </>
  );
}

/** The keys that work everywhere in the panel. */
function handleKey(event: KeyboardEvent, store: TracePanelStore): boolean {
  if (event.key === 'F8') {
    const { trace, saved } = store.view;
    const error = nextError(trace, saved.selected, event.shiftKey ? -1 : 1);
    if (error !== undefined) store.select(error.span.id);
    return true;
  }
  if (event.key === 'f' && (event.ctrlKey || event.metaKey)) {
    const field = document.querySelector<HTMLInputElement>('.search input');
    field?.focus();
    field?.select();
    return true;
  }
  return false;
}

function Problem({ store, view }: PanelProps) {
  if (view.problem === undefined) return null;
  return (
    <div class="banner failed" role="alert">
      <Icon name="error" />
      <span class="grow">{view.problem}</span>
      <button type="button" class="link" onClick={() => void store.open()}>
        {l10n.t('Try Again')}
      </button>
      <button type="button" class="link" onClick={() => void store.ask('showLog', {})}>
        {l10n.t('Show Log')}
      </button>
      <vscode-toolbar-button icon="close" label={l10n.t('Dismiss')} onClick={() => store.dismissProblem()} />
    </div>
  );
}
