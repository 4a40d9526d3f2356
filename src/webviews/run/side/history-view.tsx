import './history-view.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import type { History, Turn } from '../../../extension/panels/run/messages.ts';
import { Action } from '../../shared/action.tsx';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../panel-props.ts';

/** The states that the thread has gone through, each can be looked at, continued from and changed. */
export function HistoryView({ store, view }: PanelProps) {
  const { threadId, status, runId, checkpointId, resets } = view.transcript;
  const [history, setHistory] = useState<History | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    if (threadId === undefined) setHistory({ turns: [], current: undefined });
    else if (status !== 'running')
      void store.ask('history', {}).then((read) => {
        if (isCurrent && read !== undefined) setHistory(read);
      });
    return () => {
      isCurrent = false;
    };
  }, [store, threadId, status, runId, checkpointId, resets]);
  return (
    <section class="history" aria-label={l10n.t('History')}>
      {history === undefined && <p class="muted pad">{l10n.t('Loading history…')}</p>}
      {history?.turns.length === 0 && (
        <p class="muted pad">
          {l10n.t('No history yet. Each step of a run adds a state that you can return to.')}
        </p>
      )}
      {history !== undefined && history.turns.length > 0 && (
        <ol>
          {history.turns.map((turn) => (
            <TurnRow
              key={turn.checkpoint_id}
              turn={turn}
              isShown={turn.checkpoint_id === history.current}
              isOnBranch={ancestry(history).has(turn.checkpoint_id)}
              store={store}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

interface TurnRowProps {
  readonly turn: Turn;
  readonly isShown: boolean;
  /** Whether the shown state descends from it. */
  readonly isOnBranch: boolean;
  readonly store: PanelProps['store'];
}

function TurnRow({ turn, isShown, isOnBranch, store }: TurnRowProps) {
  const { checkpoint_id } = turn;
  const next = turn.next.filter((node) => node !== '__start__');
  return (
    <li
      class={`turn ${turn.source}${isOnBranch ? '' : ' aside'}`}
      aria-current={isShown ? 'step' : undefined}
    >
      <button
        type="button"
        class="turn-name"
        title={l10n.t('View the thread at this step')}
        onClick={() => void store.ask('checkout', { checkpoint_id })}
      >
        <Icon name={iconOf(turn, isShown)} />
        <span class="name">{nameOf(turn)}</span>
        <span class="muted">
          {[turn.step < 0 ? '' : l10n.t('step {0}', turn.step), timeOf(turn)].filter(Boolean).join(' · ')}
        </span>
        {next.length > 0 && <span class="muted next">{l10n.t('next: {0}', next.join(', '))}</span>}
        {!isOnBranch && <span class="for-screen-readers">{l10n.t('on another branch')}</span>}
      </button>
      <Action
        icon="edit"
        label={l10n.t('Edit the state of step {0}', turn.step)}
        onClick={() => store.editState(checkpoint_id)}
      />
      <Action
        icon="json"
        label={l10n.t('Open the state of step {0}', turn.step)}
        onClick={() => store.ask('openState', { checkpoint_id })}
      />
    </li>
  );
}

/** The shown state and its ancestors. */
function ancestry({ turns, current }: History): ReadonlySet<string> {
  const parents = new Map(turns.map(({ checkpoint_id, parent_id }) => [checkpoint_id, parent_id]));
  const found = new Set<string>();
  for (let at = current; at !== undefined && !found.has(at); at = parents.get(at)) found.add(at);
  return found;
}

function iconOf({ source, waits }: Turn, isShown: boolean): string {
  if (isShown) return 'circle-filled';
  if (waits) return 'debug-pause';
  return { input: 'arrow-right', loop: 'circle-small', update: 'edit', fork: 'git-branch' }[source];
}

function nameOf({ source, nodes, message }: Turn): string {
  switch (source) {
    case 'input':
      return message ?? l10n.t('Input');
    case 'update':
      return l10n.t('Edited');
    case 'fork':
      return l10n.t('Fork');
    case 'loop':
      return nodes.length > 0 ? nodes.join(', ') : l10n.t('Start');
  }
}

function timeOf({ created_at }: Turn): string {
  const time = created_at === undefined ? Number.NaN : Date.parse(created_at);
  return Number.isNaN(time) ? '' : new Date(time).toLocaleTimeString();
}
