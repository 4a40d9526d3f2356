import './history-view.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import type { History, HistoryEntry } from '../../../extension/panels/run/messages.ts';
import { dateOf } from '../../../terms/times.ts';
import { Action } from '../../shared/action.tsx';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../panel-props.ts';
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

interface EntryRowProps {
  readonly entry: HistoryEntry;
  readonly isShown: boolean;
  /** Whether the state is from a recorded run. */
  readonly isRecorded: boolean;
  /** Whether the shown state descends from this one, or is this one. */
  readonly isOnBranch: boolean;
  /** Whether the state that is listed before this one is on the shown branch, but this one is not. */
  readonly beginsOtherBranch: boolean;
  readonly store: PanelProps['store'];
}

function EntryRow({ entry, isShown, isRecorded, isOnBranch, beginsOtherBranch, store }: EntryRowProps) {
  const { checkpoint_id } = entry;
  const next = entry.next.filter((node) => node !== '__start__');
  return (
    <li
      class={`turn ${entry.source}${isOnBranch ? '' : ' aside'}${beginsOtherBranch ? ' first-aside' : ''}`}
      aria-current={isShown ? 'step' : undefined}
    >
      <button
        type="button"
        class="turn-name"
        title={l10n.t('View Thread at This Step')}
        onClick={() => void store.ask('checkout', { checkpoint_id })}
      >
        <Icon name={iconOf(entry, isShown)} />
        <span class="name">{nameOf(entry)}</span>
        <span class="muted">
          {[entry.step < 0 ? '' : l10n.t('step {0}', entry.step), timeOf(entry)].filter(Boolean).join(' · ')}
        </span>
        {next.length > 0 && <span class="muted next">{l10n.t('next: {0}', countNodes(next))}</span>}
        {!isOnBranch && <span class="for-screen-readers">{l10n.t('on another branch')}</span>}
      </button>
      <span class="turn-actions">
        {entry.next.length > 0 && (
          <Action
            icon="debug-continue"
            label={l10n.t('Run from Here: Step {0}', entry.step)}
            onClick={() => void store.runFrom(checkpoint_id)}
          />
        )}
        {entry.next.length > 0 && isRecorded && (
          <Action
            icon="debug-rerun"
            label={l10n.t('Replay from Here: Step {0}', entry.step)}
            onClick={() => void store.ask('replayFrom', { checkpoint_id })}
          />
        )}
        {(entry.nodes.length > 0 || next.length > 0) && (
          <Action
            icon="play"
            label={l10n.t('Run This Node: Step {0}', entry.step)}
            onClick={() => void store.ask('runNode', { checkpoint_id })}
          />
        )}
        {!isShown && (
          <Action
            icon="diff"
            label={l10n.t('Compare Step {0} with the Shown Step', entry.step)}
            onClick={() => void store.ask('compareStates', { checkpoint_id })}
          />
        )}
        <Action
          icon="edit"
          label={l10n.t('Edit State of Step {0}', entry.step)}
          onClick={() => store.editState(checkpoint_id)}
        />
        <Action
          icon="json"
          label={l10n.t('Open State of Step {0}', entry.step)}
          onClick={() => store.ask('openState', { checkpoint_id })}
        />
      </span>
    </li>
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

function iconOf({ source, waits }: HistoryEntry, isShown: boolean): string {
  if (isShown) return 'circle-filled';
  if (waits) return 'debug-pause';
  return { input: 'arrow-right', loop: 'circle-small', update: 'edit', fork: 'git-branch' }[source];
}

function nameOf({ source, nodes, message }: HistoryEntry): string {
  switch (source) {
    case 'input':
      return message ?? l10n.t('Input');
    case 'update':
      return l10n.t('Edited');
    case 'fork':
      return l10n.t('Fork');
    case 'loop':
      return nodes.length > 0 ? countNodes(nodes) : l10n.t('Start');
  }
}

/** The names of nodes. A node with several tasks is named once, with their number. */
function countNodes(nodes: readonly string[]): string {
  const times = new Map<string, number>();
  for (const node of nodes) times.set(node, (times.get(node) ?? 0) + 1);
  return [...times].map(([node, count]) => (count === 1 ? node : `${node} ×${count}`)).join(', ');
}

function timeOf({ created_at }: HistoryEntry): string {
  return dateOf(created_at)?.toLocaleTimeString() ?? '';
}
