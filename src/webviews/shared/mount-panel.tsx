import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import * as l10n from '@vscode/l10n';
import { type ComponentType, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CodeToColor, ColoredSpan, OpenFolder } from '../../extension/panels/webview-rpc.ts';
import './base.css';
import { CodeColoring, CodeColors } from './markdown/code-coloring.ts';
import { OpenFolders } from './open-folders.ts';

/** The parts of a panel's store that mounting needs. */
interface MountableStore {
  readonly view: unknown;
  open(): Promise<void>;
  colorCode(code: CodeToColor): Promise<readonly ColoredSpan[]>;
}

interface PanelParts<State, Store extends MountableStore> {
  /** @param saved validated or created by the host. */
  makeStore(saved: State, onChange: () => void): Store;
  readonly App: ComponentType<{ store: Store; view: Store['view'] }>;
}

/** Draws a panel into the page that the host has created, and again whenever its store changes. */
export function mountPanel<State, Store extends MountableStore>({
  makeStore,
  App,
}: PanelParts<State, Store>): void {
  const { l10nBundle, state, folders } = document.body.dataset;
  if (l10nBundle !== undefined) l10n.config({ contents: l10nBundle });
  const saved: State = JSON.parse(state ?? '');
  const openFolders: readonly OpenFolder[] = JSON.parse(folders ?? '[]');
  let redraw: () => void = () => {};
  const store = makeStore(saved, () => redraw());
  // VS Code in a browser may run in one that does not support CSS highlights.
  const coloring = 'highlights' in CSS ? new CodeColoring((code) => store.colorCode(code)) : undefined;

  function Panel() {
    const [, setVersion] = useState(0);
    useEffect(() => {
      redraw = () => setVersion((version) => version + 1);
      void store.open();
    }, []);
    return (
      <OpenFolders.Provider value={openFolders}>
        <CodeColors.Provider value={coloring}>
          <App store={store} view={store.view} />
        </CodeColors.Provider>
      </OpenFolders.Provider>
    );
  }

  render(<Panel />, document.body);
}
