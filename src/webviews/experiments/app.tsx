import './app.css';
import * as l10n from '@vscode/l10n';
import { Action } from '../shared/action.tsx';
import { Icon } from '../shared/icon.tsx';
import { focusSearch } from '../shared/search-field.tsx';
import { StoreProblem } from '../shared/store-problem.tsx';
import { useKeys } from '../shared/use-keys.ts';
import { Comparison } from './comparison.tsx';
import { ExperimentTable } from './experiment-table.tsx';
import type { PanelProps } from './panel-props.ts';

export function App({ store, view }: PanelProps) {
  useKeys(focusSearch);
  return (
    <>
      <Header store={store} view={view} />
      <StoreProblem store={store} />
      <main>
        <Content store={store} view={view} />
      </main>
    </>
  );
}

function Content({ store, view }: PanelProps) {
  const { experiments, problem } = view;
  if (experiments === undefined && problem !== undefined) return null;
  if (experiments === undefined) {
    return (
      <div class="empty late">
        <Icon name="loading" spin />
        <p>{l10n.t('Reading the experiments…')}</p>
      </div>
    );
  }
  if (experiments.length === 0) {
    return (
      <div class="empty">
        <Icon name="beaker" />
        <p>
          {l10n.t('No experiments yet. Evaluate an agent with this dataset, and its results appear here.')}
        </p>
      </div>
    );
  }
  return (
    <>
      <ExperimentTable store={store} view={view} />
      <Comparison store={store} view={view} />
    </>
  );
}

function Header({ store, view }: PanelProps) {
  const { head, experiments } = view;
  const count = experiments?.length;
  const { compared } = store;
  return (
    <header>
      <h1>{head?.name ?? '…'}</h1>
      {head !== undefined && (
        <p class="facts">
          <span>{countText(head.example_count, l10n.t('1 example'), (n) => l10n.t('{0} examples', n))}</span>
          {count !== undefined && (
            <span>{countText(count, l10n.t('1 experiment'), (n) => l10n.t('{0} experiments', n))}</span>
          )}
        </p>
      )}
      <span class="grow" />
      <div class="toolbar" role="toolbar" aria-label={l10n.t('Actions')}>
        <Action icon="refresh" label={l10n.t('Refresh')} onClick={() => store.ask('refresh', {})} />
        {compared !== undefined && (
          <Action
            icon="export"
            label={l10n.t('Export as CSV…')}
            onClick={() => store.ask('exportCsv', compared)}
          />
        )}
      </div>
    </header>
  );
}

function countText(count: number, one: string, many: (count: string) => string): string {
  return count === 1 ? one : many(count.toLocaleString());
}
