import './side.css';
import * as l10n from '@vscode/l10n';
import { Action } from '../../shared/action.tsx';
import type { PanelProps } from '../panel-props.ts';
import { GraphView } from './graph-view.tsx';
import { HistoryView } from './history-view.tsx';

/** The view beside the output: the graph, or the history of the thread. */
export function Side({ store, view }: PanelProps) {
  const { side } = view.saved;
  const diagram = view.session?.diagram;
  if (side === 'none' || view.session === undefined) return null;
  return (
    <div class="side">
      <div class="side-head">
        <h2>{side === 'graph' ? l10n.t('Graph') : l10n.t('History')}</h2>
        <Action icon="close" label={l10n.t('Close')} onClick={() => store.save({ side: 'none' })} />
      </div>
      {side === 'history' && <HistoryView store={store} view={view} />}
      {side === 'graph' && diagram !== undefined && <GraphView store={store} view={view} diagram={diagram} />}
      {side === 'graph' && diagram === undefined && (
        <p class="muted pad">{l10n.t('This graph cannot be displayed.')}</p>
      )}
    </div>
  );
}
