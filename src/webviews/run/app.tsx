import './app.css';
import * as l10n from '@vscode/l10n';
import { ErrorBoundary } from '../shared/error-boundary.tsx';
import { Icon } from '../shared/icon.tsx';
import { ProblemBanner } from '../shared/problem-banner.tsx';
import { announcementOf } from './announcement.ts';
import { Composer } from './composer/composer.tsx';
import { Queue } from './composer/queue.tsx';
import { Header } from './header.tsx';
import type { PanelProps } from './panel-props.ts';
import { Paused } from './paused.tsx';
import { Side } from './side/side.tsx';
import { StateEditor } from './side/state-editor.tsx';
import { Timeline } from './timeline.tsx';
import { Work } from './work.tsx';

export function App({ store, view }: PanelProps) {
  return (
    <>
      <Header store={store} view={view} />
      <main class={view.saved.side === 'graph' && view.saved.wide ? 'panes wide' : 'panes'}>
        <div class="output">
          <Timeline store={store} view={view} />
        </div>
        <div class="foot">
          <Paused store={store} view={view} />
          <Problem store={store} view={view} />
          <Work store={store} view={view} />
          <Queue store={store} view={view} />
          {view.editing === undefined ? (
            <Composer store={store} view={view} />
          ) : (
            <StateEditor
              key={view.editing.checkpointId ?? ''}
              store={store}
              view={view}
              checkpointId={view.editing.checkpointId}
            />
          )}
        </div>
        <ErrorBoundary of={view.saved.side}>
          <Side store={store} view={view} />
        </ErrorBoundary>
      </main>
      <div class="for-screen-readers" aria-live="polite">
        {announcementOf(view.transcript)}
      </div>
    </>
  );
}

function Problem({ store, view }: PanelProps) {
  const showLog = () => void store.ask('showLog', {});
  if (view.transcript.connection !== 'lost')
    return (
      <ProblemBanner
        problem={view.problem}
        actions={store.actions}
        onAct={(index) => void store.act(index).then((isDone) => (isDone ? store.reopen() : undefined))}
        onShowLog={showLog}
        onDismiss={() => store.report(undefined)}
      />
    );
  return (
    <div class="banner" role="alert">
      <Icon name="debug-disconnect" />
      <span class="grow">{l10n.t('Connection lost. Reconnecting…')}</span>
      <button type="button" class="link" onClick={showLog}>
        {l10n.t('Show Log')}
      </button>
    </div>
  );
}
