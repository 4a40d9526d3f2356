import './app.css';
import * as l10n from '@vscode/l10n';
import { cut } from '../shared/cut.ts';
import { ErrorBoundary } from '../shared/error-boundary.tsx';
import { Icon } from '../shared/icon.tsx';
import { ProblemBanner } from '../shared/problem-banner.tsx';
import { Composer } from './composer/composer.tsx';
import { Queue } from './composer/queue.tsx';
import { Header } from './header.tsx';
import type { PanelProps } from './panel-props.ts';
import { Paused } from './paused.tsx';
import { pausedBefore } from './paused-before.ts';
import { Side } from './side/side.tsx';
import { StateEditor } from './side/state-editor.tsx';
import { Timeline } from './timeline.tsx';
import { nodesPausedBefore } from './transcript-model.ts';
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
            <StateEditor store={store} view={view} checkpointId={view.editing.checkpointId} />
          )}
        </div>
        <ErrorBoundary of={view.saved.side}>
          <Side store={store} view={view} />
        </ErrorBoundary>
      </main>
      <Announcer view={view} />
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

/** The maximum number of characters of an answer that are announced; the output shows all of it. */
const MAX_ANNOUNCED = 600;

/** Announces to screen readers how a run starts and ends, but not each token. */
function Announcer({ view }: Pick<PanelProps, 'view'>) {
  const { rows, status } = view.transcript;
  const answer = rows.findLast((row) => row.kind === 'ai');
  const text = {
    idle:
      rows.length > 0 && answer?.kind === 'ai'
        ? l10n.t('The run has ended. {0}', cut(answer.text, MAX_ANNOUNCED))
        : '',
    running: l10n.t('Running'),
    interrupted: l10n.t('The run is waiting for your input.'),
    paused: pausedBefore(nodesPausedBefore(view.transcript)),
    error: l10n.t('The run has failed.'),
  }[status];
  return (
    <div class="for-screen-readers" aria-live="polite">
      {text}
    </div>
  );
}
