import './strategy-menu.css';
import * as l10n from '@vscode/l10n';
import type { RunOptions } from '../../../extension/panels/run/messages.ts';

export type Strategy = NonNullable<RunOptions['multitask_strategy']>;

/** LangGraph's strategies for a message that is sent while a run is in progress. */
export const STRATEGIES = [
  'enqueue',
  'interrupt',
  'rollback',
  'reject',
] as const satisfies readonly Strategy[];

interface StrategyMenuProps {
  readonly strategy: Strategy;
  readonly onChange: (strategy: Strategy) => void;
}

/** A menu that shows and changes the strategy. */
export function StrategyMenu({ strategy, onChange }: StrategyMenuProps) {
  return (
    <select
      class="strategy"
      aria-label={l10n.t('While a run is in progress')}
      title="multitask_strategy"
      value={strategy}
      onChange={({ currentTarget: { value } }) => {
        const chosen = STRATEGIES.find((one) => one === value);
        if (chosen !== undefined) onChange(chosen);
      }}
    >
      {STRATEGIES.map((one) => (
        <option key={one} value={one}>
          {nameOf(one)}
        </option>
      ))}
    </select>
  );
}

/** The hint below the message field while a run is in progress. */
export function hintOf(strategy: Strategy): string {
  switch (strategy) {
    case 'enqueue':
      return l10n.t('Enter to queue, Shift+Enter for a new line');
    case 'interrupt':
      return l10n.t('Enter to interrupt the run and send');
    case 'rollback':
      return l10n.t('Enter to undo the run and send');
    case 'reject':
      return l10n.t('Wait until the run ends');
  }
}

function nameOf(strategy: Strategy): string {
  switch (strategy) {
    case 'enqueue':
      return l10n.t('Queue');
    case 'interrupt':
      return l10n.t('Interrupt and Send');
    case 'rollback':
      return l10n.t('Roll Back and Send');
    case 'reject':
      return l10n.t('Don’t Send');
  }
}
