import './comparison.css';
import * as l10n from '@vscode/l10n';
import { Icon } from '../shared/icon.tsx';
import { ComparisonBar } from './comparison-bar.tsx';
import { ExampleTable } from './example-table.tsx';
import { Filters } from './filters.tsx';
import type { PanelProps } from './panel-props.ts';

/** An experiment compared to its baseline, example by example. */
export function Comparison({ store, view }: PanelProps) {
  return (
    <section class="comparison" aria-label={l10n.t('Comparison')}>
      <ComparisonBar store={store} view={view} />
      <Filters store={store} view={view} />
      <ExampleTable store={store} view={view} />
      <Nothing store={store} view={view} />
    </section>
  );
}

function Nothing({ store, view }: PanelProps) {
  if (view.rows.length > 0) return null;
  if (!view.isLoaded) {
    return (
      <div class="empty late">
        <Icon name="loading" spin />
        <p>{l10n.t('Reading the results…')}</p>
      </div>
    );
  }
  const isFiltered = view.counts.all > 0;
  return (
    <div class="empty">
      <Icon name={isFiltered ? 'search' : 'beaker'} />
      <p>{isFiltered ? l10n.t('No matching examples.') : l10n.t('This dataset has no examples.')}</p>
      {isFiltered && (
        <vscode-button secondary onClick={() => store.show({ shown: 'all', query: '' })}>
          {l10n.t('Show All')}
        </vscode-button>
      )}
    </div>
  );
}
