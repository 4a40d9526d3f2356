import './experiment-table.css';
import * as l10n from '@vscode/l10n';
import type { ExperimentRow } from '../../extension/panels/experiments/messages.ts';
import { duration } from '../shared/duration.ts';
import { type Column, Grid } from '../shared/grid/grid.tsx';
import { Icon } from '../shared/icon.tsx';
import { money } from '../shared/money.ts';
import { scoreText, shareText, timeText } from './format.ts';
import type { PanelProps } from './panel-props.ts';

/** The experiments on the dataset; the selected one is shown below. */
export function ExperimentTable({ store, view }: PanelProps) {
  const { experiments = [], experimentKeys, experiment: selected, baseline } = view;
  const hasCost = experiments.some(({ cost }) => cost !== undefined);
  const columns: readonly Column[] = [
    { id: 'name', title: l10n.t('Experiment'), width: 'minmax(250px, 3fr)' },
    { id: 'started', title: l10n.t('Started'), width: 'minmax(150px, 1fr)' },
    { id: 'runs', title: l10n.t('Runs'), width: '70px', isNumber: true },
    ...experimentKeys.map((key) => ({
      id: `score ${key}`,
      title: key,
      width: 'minmax(110px, 1fr)',
      isNumber: true,
    })),
    { id: 'failed', title: l10n.t('Failed'), width: '70px', isNumber: true },
    { id: 'latency', title: l10n.t('Median Latency'), width: '120px', isNumber: true },
    ...(hasCost ? [{ id: 'cost', title: l10n.t('Cost'), width: '80px', isNumber: true }] : []),
  ];
  const cells = (experiment: ExperimentRow) => [
    <span class="experiment">
      <span class="experiment-name" title={experiment.name}>
        {experiment.name}
      </span>
      {experiment.id === baseline?.id && (
        <span class="badge">
          <Icon name="milestone" /> {l10n.t('Baseline')}
        </span>
      )}
    </span>,
    timeText(experiment.startedAt),
    experiment.runs.toLocaleString(),
    ...experimentKeys.map((key) => {
      const score = experiment.scores[key];
      return score === undefined ? '' : scoreText(score);
    }),
    shareText(experiment.errorRate),
    experiment.latency === undefined ? '' : duration(experiment.latency),
    ...(hasCost ? [experiment.cost === undefined ? '' : money(experiment.cost)] : []),
  ];
  // As high as its rows, up to a third of the window.
  const rows = Math.min(experiments.length + 1, 12);
  return (
    <section class="experiments" aria-label={l10n.t('Experiments')} style={{ '--rows': String(rows) }}>
      <Grid
        name={l10n.t('Experiments')}
        columns={columns}
        rows={experiments}
        idOf={({ id }) => id}
        selected={selected?.id}
        onSelect={({ id }) => store.choose(id)}
        cells={cells}
      />
    </section>
  );
}
