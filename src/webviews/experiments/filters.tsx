import './filters.css';
import * as l10n from '@vscode/l10n';
import type { ExperimentsPanelState } from '../../extension/panels/experiments/messages.ts';
import { Icon } from '../shared/icon.tsx';
import { SearchField } from '../shared/search-field.tsx';
import type { PanelProps } from './panel-props.ts';

/** Filters examples by the change of a score, and by text. */
export function Filters({ store, view }: PanelProps) {
  const { keys, preferenceKeys, counts, baseline, saved } = view;
  const chip = (shown: ExperimentsPanelState['shown'], text: string, icon?: string) => (
    <button
      type="button"
      class={`chip ${shown}`}
      aria-pressed={saved.shown === shown}
      onClick={() => store.show({ shown })}
    >
      {icon !== undefined && <Icon name={icon} />} {text}
    </button>
  );
  const format = (count: number) => count.toLocaleString();
  return (
    <div class="filters">
      <div class="chips" role="toolbar" aria-label={l10n.t('Show')}>
        {chip('all', l10n.t('All {0}', format(counts.all)))}
        {baseline !== undefined &&
          chip('regressed', l10n.t('{0} regressed', format(counts.regressed)), 'arrow-down')}
        {baseline !== undefined &&
          chip('improved', l10n.t('{0} improved', format(counts.improved)), 'arrow-up')}
        {preferenceKeys.length > 0 && (
          <>
            {chip('won', l10n.t('{0} won', format(counts.won)), 'thumbsup')}
            {chip('lost', l10n.t('{0} lost', format(counts.lost)), 'thumbsdown')}
            {chip('tied', l10n.t('{0} tied', format(counts.tied)))}
          </>
        )}
        {chip('failed', l10n.t('{0} failed', format(counts.failed)), 'error')}
      </div>
      {baseline !== undefined && keys.length > 1 && (
        <label class="choice">
          <span class="muted">{l10n.t('Score')}</span>
          <select
            value={saved.key ?? ''}
            onChange={({ currentTarget }) => store.show({ key: currentTarget.value || undefined })}
          >
            <option value="">{l10n.t('Any')}</option>
            {keys.map((key) => (
              <option key={key} value={key}>
                {key}
              </option>
            ))}
          </select>
        </label>
      )}
      <span class="grow" />
      <SearchField
        query={saved.query}
        placeholder={l10n.t('Find examples')}
        label={l10n.t('Find examples by text')}
        found={saved.query.trim() === '' ? '' : l10n.t('{0} found', format(view.rows.length))}
        onSearch={(query) => store.show({ query })}
      />
    </div>
  );
}
