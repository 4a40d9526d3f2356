import * as l10n from '@vscode/l10n';
import type { ExperimentRow } from '../../extension/panels/experiments/messages.ts';
import { Action } from '../shared/action.tsx';
import { Icon } from '../shared/icon.tsx';
import type { PanelProps } from './panel-props.ts';

/** The compared experiments, and the actions for the selected example. */
export function ComparisonBar({ store, view }: PanelProps) {
  const { experiments = [], experiment, baseline, head } = view;
  const others = experiments.filter(({ id }) => id !== experiment?.id);
  return (
    <div class="bar">
      <Choice
        label={l10n.t('Experiment')}
        experiments={experiments}
        value={experiment}
        onChoose={(id) => store.choose(id)}
      />
      {others.length > 0 && (
        <Choice
          label={l10n.t('Baseline')}
          experiments={others}
          value={baseline}
          onChoose={(id) => store.chooseBaseline(id)}
        />
      )}
      {head?.can_run === true && <RunAgain store={store} view={view} />}
      <span class="grow" />
      <ExampleActions store={store} view={view} />
    </div>
  );
}

/**
 * A button that runs the experiment again with the current code of the folder. While it runs, the button
 * cancels it.
 */
function RunAgain({ store, view: { experiment, isRunning, wasCanceled } }: PanelProps) {
  if (experiment === undefined) return null;
  return (
    <div class="run-again">
      {isRunning ? (
        <vscode-button secondary icon="debug-stop" onClick={() => void store.ask('cancelRun', {})}>
          {l10n.t('Cancel')}
        </vscode-button>
      ) : (
        <vscode-button secondary icon="debug-rerun" onClick={() => void store.runAgain()}>
          {l10n.t('Run Again with This Code')}
        </vscode-button>
      )}
      <span class="muted" role="status">
        {isRunning && (
          <>
            <Icon name="loading" spin /> {l10n.t('Running…')}
          </>
        )}
        {wasCanceled && l10n.t('The run was canceled.')}
      </span>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly experiments: readonly ExperimentRow[];
  readonly value: ExperimentRow | undefined;
  readonly onChoose: (id: string) => void;
}

function Choice({ label, experiments, value, onChoose }: ChoiceProps) {
  return (
    <label class="choice">
      <span class="muted">{label}</span>
      <select value={value?.id ?? ''} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {value === undefined && <option value="">{l10n.t('None')}</option>}
        {experiments.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function ExampleActions({ store, view }: PanelProps) {
  const { selected, baseline, experiment } = view;
  if (selected === undefined) return null;
  const { id, title } = selected;
  const pair = `${title}: ${baseline?.name} ↔ ${experiment?.name}`;
  const [before, after] = [selected.baseline?.run_ids[0], selected.result?.run_ids[0]];
  return (
    <div class="toolbar" role="toolbar" aria-label={l10n.t('Selected Example')}>
      {before !== undefined && after !== undefined && (
        <>
          <Action
            icon="diff"
            label={l10n.t('Compare Outputs')}
            onClick={() =>
              store.ask('compareOutputs', { baseline_run_id: before, run_id: after, title: pair })
            }
          />
          <Action
            icon="split-horizontal"
            label={l10n.t('Compare Traces')}
            onClick={() =>
              store.ask('compareTraces', { baseline_run_id: before, run_id: after, title: pair })
            }
          />
        </>
      )}
      {after !== undefined && (
        <Action
          icon="pulse"
          label={l10n.t('Open Trace')}
          onClick={() => store.ask('openTrace', { run_id: after, title })}
        />
      )}
      <Action
        icon="json"
        label={l10n.t('Open Example')}
        onClick={() => store.ask('openExample', { example_id: id, title })}
      />
    </div>
  );
}
