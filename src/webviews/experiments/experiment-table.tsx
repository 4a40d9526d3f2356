import './experiment-table.css';
import * as l10n from '@vscode/l10n';
import type { ExperimentRow } from '../../extension/panels/experiments/messages.ts';
import { money } from '../../terms/money.ts';
import { duration } from '../shared/duration.ts';
import { type Column, Grid } from '../shared/grid/grid.tsx';
import { Icon } from '../shared/icon.tsx';
import { scoreText, shareText, timeText } from './format.ts';
import type { PanelProps } from './panel-props.ts';

/** The experiments on the dataset; the selected one is shown below. */
export function ExperimentTable({ store, view }: PanelProps) {
  const { experiments = [], experimentKeys, experiment: selected, baseline } = view;
  const hasCost = experiments.some(({ cost }) => cost !== undefined);
  const columns: readonly Column[] = [
    { id: 'name', title: l10n.t('Experiment'), widthPx: 250, share: 3 },
    { id: 'started', title: l10n.t('Started'), widthPx: 150, share: 1 },
    { id: 'runs', title: l10n.t('Runs'), widthPx: 70, isNumber: true },
    ...experimentKeys.map((key) => ({
      id: `score ${key}`,
      title: key,
      widthPx: 110,
      share: 1,
      isNumber: true,
    })),
    { id: 'failed', title: l10n.t('Failed'), widthPx: 70, isNumber: true },
    { id: 'latency', title: l10n.t('Median Latency'), widthPx: 120, isNumber: true },
    ...(hasCost ? [{ id: 'cost', title: l10n.t('Cost'), widthPx: 80, isNumber: true }] : []),
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
  // The table is as high as its rows, up to twelve of them; the stylesheet limits it to a third of the
  // window.
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
