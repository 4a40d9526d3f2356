import './history-view.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import type { History, HistoryEntry } from '../../../extension/panels/run/messages.ts';
import type { PanelProps } from '../panel-props.ts';
import { EntryRow } from './history-entry.tsx';
import { inReadingOrder } from './history-order.ts';
import { ValueView } from './value-view.tsx';

/** The states in the history of the thread. Each can be viewed, edited, and run from. */
export function HistoryView({ store, view }: PanelProps) {
  const { threadId, status, runId, checkpointId, resets } = view.transcript;
  const selectId = useId();
  const [history, setHistory] = useState<History | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    if (threadId === undefined) setHistory({ entries: [], current: undefined, keys: [], recorded: [] });
    else if (status !== 'running')
      void store.ask('history', {}).then((read) => {
        if (isCurrent && read !== undefined) setHistory(read);
      });
    return () => {
      isCurrent = false;
    };
  }, [store, threadId, status, runId, checkpointId, resets]);
  const [key, setKey] = useState('');
  const entries = useMemo(() => inReadingOrder(history?.entries ?? []), [history]);
  const onBranch = ancestry(history ?? { entries: [], current: undefined });
  const keys = history?.keys ?? [];
  const recorded = new Set(history?.recorded);
  const shownKey = keys.includes(key) ? key : '';
  return (
    <section class="history" aria-label={l10n.t('History')}>
      {keys.length > 0 && (
        <div class="key">
          <label for={selectId}>{l10n.t('Show')}</label>
          <select id={selectId} value={shownKey} onChange={(event) => setKey(event.currentTarget.value)}>
            <option value="">{l10n.t('All steps')}</option>
            {keys.map((name) => (
              <option key={name} value={name}>
                {l10n.t('Changes to {0}', name)}
              </option>
            ))}
          </select>
        </div>
      )}
      {shownKey !== '' && <ValueView store={store} view={view} name={shownKey} />}
      {history === undefined && <p class="muted pad">{l10n.t('Loading history…')}</p>}
      {history?.entries.length === 0 && (
        <p class="muted pad">
          {l10n.t('No history yet. Each step of a run adds a state that you can return to.')}
        </p>
      )}
      {history !== undefined && history.entries.length > 0 && shownKey === '' && (
        <ol>
          {entries.map((entry, index) => (
            <EntryRow
              key={entry.checkpoint_id}
              entry={entry}
              isShown={entry.checkpoint_id === history.current}
              isRecorded={entry.run_id !== undefined && recorded.has(entry.run_id)}
              isOnBranch={onBranch.has(entry.checkpoint_id)}
              beginsOtherBranch={startsOtherBranch(entries, index, onBranch)}
              store={store}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

function startsOtherBranch(
  entries: readonly HistoryEntry[],
  index: number,
  onBranch: ReadonlySet<string>,
): boolean {
  const [before, entry] = [entries[index - 1], entries[index]];
  if (before === undefined || entry === undefined) return false;
  return onBranch.has(before.checkpoint_id) && !onBranch.has(entry.checkpoint_id);
}

/** The shown state and its ancestors. */
function ancestry({ entries, current }: Pick<History, 'entries' | 'current'>): ReadonlySet<string> {
  const parents = new Map(entries.map(({ checkpoint_id, parent_id }) => [checkpoint_id, parent_id]));
  const found = new Set<string>();
  for (let at = current; at !== undefined && !found.has(at); at = parents.get(at)) found.add(at);
  return found;
}
