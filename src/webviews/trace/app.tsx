import './app.css';
import { useCallback, useRef } from 'preact/hooks';
import { focusSearch } from '../shared/search-field.tsx';
import { StoreProblem } from '../shared/store-problem.tsx';
import { useKeys } from '../shared/use-keys.ts';
import { Details } from './details/details.tsx';
import { Header } from './header.tsx';
import type { PanelProps } from './panel-props.ts';
import { Splitter } from './splitter.tsx';
import type { TracePanelStore } from './store.ts';
import { Tree } from './tree.tsx';
import { nextError } from './waterfall.ts';

export function App({ store, view }: PanelProps) {
  const main = useRef<HTMLElement>(null);
  const handle = useCallback((event: KeyboardEvent) => handleKey(event, store), [store]);
  useKeys(handle);
  const { split } = view.saved;
  return (
    <>
      <Header store={store} view={view} />
      <StoreProblem store={store} />
      <main ref={main} style={{ '--split': `${(split * 100).toFixed(2)}%` }}>
        <Tree store={store} view={view} />
        <Splitter container={main} value={split} onChange={(value) => store.show({ split: value })} />
        <Details store={store} view={view} />
      </main>
    </>
  );
}

/** Handles the keys that work everywhere in the panel. @returns whether the key was one of them */
function handleKey(event: KeyboardEvent, store: TracePanelStore): boolean {
  if (event.key === 'F8') {
    const { trace, saved } = store.view;
    const error = nextError(trace, saved.selected, event.shiftKey ? -1 : 1);
    if (error !== undefined) store.select(error.span.id);
    return true;
  }
  if (event.key === 'F12') {
    void store.goToSource();
    return true;
  }
  return focusSearch(event);
}
