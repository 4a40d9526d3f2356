import './history-view.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import type { History, Turn } from '../../../extension/panels/run/messages.ts';
import { dateOf } from '../../../terms/times.ts';
import { Action } from '../../shared/action.tsx';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../panel-props.ts';
import { inReadingOrder } from './turn-order.ts';
import { ValueView } from './value-view.tsx';

/** The states that the thread has gone through, each can be looked at, continued from and changed. */
export function HistoryView({ store, view }: PanelProps) {
  const { threadId, status, runId, checkpointId, resets } = view.transcript;
  const selectId = useId();
  const [history, setHistory] = useState<History | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    if (threadId === undefined) setHistory({ turns: [], current: undefined, keys: [], recorded: [] });
    else if (status !== 'running')
      void store.ask('history', {}).then((read) => {
        if (isCurrent && read !== undefined) setHistory(read);
      });
    return () => {
      isCurrent = false;
    };
  }, [store, threadId, status, runId, checkpointId, resets]);
  const [key, setKey] = useState('');
  const turns = useMemo(() => inReadingOrder(history?.turns ?? []), [history]);
  const onBranch = ancestry(history ?? { turns: [], current: undefined });
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
      {history?.turns.length === 0 && (
        <p class="muted pad">
          {l10n.t('No history yet. Each step of a run adds a state that you can return to.')}
        </p>
      )}
      {history !== undefined && history.turns.length > 0 && shownKey === '' && (
        <ol>
          {turns.map((turn, index) => (
            <TurnRow
              key={turn.checkpoint_id}
              turn={turn}
              isShown={turn.checkpoint_id === history.current}
              isRecorded={turn.run_id !== undefined && recorded.has(turn.run_id)}
              isOnBranch={onBranch.has(turn.checkpoint_id)}
              beginsOtherBranch={startsOtherBranch(turns, index, onBranch)}
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
  /** Whether a recorded run made it. */
  readonly isRecorded: boolean;
  /** Whether the shown state descends from it. */
  readonly isOnBranch: boolean;
  /** Whether it is the first of those on another branch. */
  readonly beginsOtherBranch: boolean;
  readonly store: PanelProps['store'];
}

function TurnRow({ turn, isShown, isRecorded, isOnBranch, beginsOtherBranch, store }: TurnRowProps) {
  const { checkpoint_id } = turn;
  const next = turn.next.filter((node) => node !== '__start__');
  return (
    <li
      class={`turn ${turn.source}${isOnBranch ? '' : ' aside'}${beginsOtherBranch ? ' first-aside' : ''}`}
      aria-current={isShown ? 'step' : undefined}
    >
      <button
        type="button"
        class="turn-name"
        title={l10n.t('View Thread at This Step')}
        onClick={() => void store.ask('checkout', { checkpoint_id })}
      >
        <Icon name={iconOf(turn, isShown)} />
        <span class="name">{nameOf(turn)}</span>
        <span class="muted">
          {[turn.step < 0 ? '' : l10n.t('step {0}', turn.step), timeOf(turn)].filter(Boolean).join(' · ')}
        </span>
        {next.length > 0 && <span class="muted next">{l10n.t('next: {0}', countNodes(next))}</span>}
        {!isOnBranch && <span class="for-screen-readers">{l10n.t('on another branch')}</span>}
      </button>
      <span class="turn-actions">
        {turn.next.length > 0 && (
          <Action
            icon="debug-continue"
            label={l10n.t('Run from Here: Step {0}', turn.step)}
            onClick={() => void store.runFrom(checkpoint_id)}
          />
        )}
        {turn.next.length > 0 && isRecorded && (
          <Action
            icon="debug-rerun"
            label={l10n.t('Replay from Here: Step {0}', turn.step)}
            onClick={() => void store.ask('replayFrom', { checkpoint_id })}
          />
        )}
        {(turn.nodes.length > 0 || next.length > 0) && (
          <Action
            icon="play"
            label={l10n.t('Run This Node: Step {0}', turn.step)}
            onClick={() => void store.ask('runNode', { checkpoint_id })}
          />
        )}
        {!isShown && (
          <Action
            icon="diff"
            label={l10n.t('Compare Step {0} with the Shown Step', turn.step)}
            onClick={() => void store.ask('compareStates', { checkpoint_id })}
          />
        )}
        <Action
          icon="edit"
          label={l10n.t('Edit State of Step {0}', turn.step)}
          onClick={() => store.editState(checkpoint_id)}
        />
        <Action
          icon="json"
          label={l10n.t('Open State of Step {0}', turn.step)}
          onClick={() => store.ask('openState', { checkpoint_id })}
        />
      </span>
    </li>
  );
}

function startsOtherBranch(turns: readonly Turn[], index: number, onBranch: ReadonlySet<string>): boolean {
  const [before, turn] = [turns[index - 1], turns[index]];
  if (before === undefined || turn === undefined) return false;
  return onBranch.has(before.checkpoint_id) && !onBranch.has(turn.checkpoint_id);
}

/** The shown state and its ancestors. */
function ancestry({ turns, current }: Pick<History, 'turns' | 'current'>): ReadonlySet<string> {
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
      return nodes.length > 0 ? countNodes(nodes) : l10n.t('Start');
  }
}

/** Several tasks of one node are counted. */
function countNodes(nodes: readonly string[]): string {
  const times = new Map<string, number>();
  for (const node of nodes) times.set(node, (times.get(node) ?? 0) + 1);
  return [...times].map(([node, count]) => (count === 1 ? node : `${node} ×${count}`)).join(', ');
}

function timeOf({ created_at }: Turn): string {
  return dateOf(created_at)?.toLocaleTimeString() ?? '';
}
