import * as l10n from '@vscode/l10n';
import type { HistoryEntry } from '../../../extension/panels/run/messages.ts';
import { dateOf } from '../../../terms/times.ts';
import { Action } from '../../shared/action.tsx';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../panel-props.ts';

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

/** A state in the history, with buttons for its actions. */
export function EntryRow({
  entry,
  isShown,
  isRecorded,
  isOnBranch,
  beginsOtherBranch,
  store,
}: EntryRowProps) {
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
