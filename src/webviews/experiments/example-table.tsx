import './example-table.css';
import * as l10n from '@vscode/l10n';
import type {
  ExampleRow,
  Preference,
  ResultCell,
  Spread,
} from '../../extension/panels/experiments/messages.ts';
import { type Column, Grid } from '../shared/grid/grid.tsx';
import { Icon } from '../shared/icon.tsx';
import { costText, latencyText, scoreText } from './format.ts';
import type { PanelProps } from './panel-props.ts';

/** The visible examples, each with the outputs of the baseline and the experiment. */
export function ExampleTable({ store, view }: PanelProps) {
  const { rows, keys, preferenceKeys, baseline, saved } = view;
  const isPair = baseline !== undefined;
  const hasCost = [view.baseline, view.experiment].some((experiment) => experiment?.cost !== undefined);
  const columns: readonly Column[] = [
    { id: 'example', title: l10n.t('Example'), widthPx: 150, share: 2 },
    ...(isPair ? [{ id: 'baseline', title: l10n.t('Baseline Output'), widthPx: 130, share: 2 }] : []),
    { id: 'output', title: l10n.t('Output'), widthPx: 130, share: 2 },
    ...preferenceKeys.map((key) => ({ id: `preference ${key}`, title: key, widthPx: 110 })),
    ...keys.map((key) => ({
      id: `score ${key}`,
      title: key,
      widthPx: isPair ? 170 : 110,
      isNumber: true,
    })),
    { id: 'latency', title: l10n.t('Latency'), widthPx: isPair ? 210 : 130, isNumber: true },
    ...(hasCost ? [{ id: 'cost', title: l10n.t('Cost'), widthPx: isPair ? 150 : 90, isNumber: true }] : []),
  ];
  const cells = (row: ExampleRow) => [
    <span title={row.title}>{row.title}</span>,
    ...(isPair ? [<Output cell={row.baseline} />] : []),
    <Output cell={row.result} />,
    ...preferenceKeys.map((key) => <Preferred preference={row.preferences[key]} />),
    ...keys.map((key) => <Score row={row} name={key} />),
    <Measured before={row.baseline?.latency} after={row.result?.latency} text={latencyText} />,
    ...(hasCost ? [<Measured before={row.baseline?.cost} after={row.result?.cost} text={costText} />] : []),
  ];
  return (
    <Grid
      name={l10n.t('Examples')}
      columns={columns}
      rows={rows}
      idOf={({ id }) => id}
      selected={saved.selected}
      onSelect={({ id }) => store.select(id)}
      onOpen={({ title, result, baseline: before }) => {
        const runId = result?.run_ids[0] ?? before?.run_ids[0];
        if (runId !== undefined) void store.ask('openTrace', { run_id: runId, title });
      }}
      cells={cells}
    />
  );
}

function Output({ cell }: { readonly cell: ResultCell | undefined }) {
  if (cell === undefined) return <span class="muted">{l10n.t('not run')}</span>;
  if (cell.error !== undefined) {
    return (
      <span class="failed-output" title={cell.error}>
        <Icon name="error" /> {cell.error}
      </span>
    );
  }
  return <span title={cell.output}>{cell.output}</span>;
}

function Score({ row, name }: { readonly row: ExampleRow; readonly name: string }) {
  const change = row.changes[name];
  const text = (cell: ResultCell | undefined) => {
    const score = cell?.scores[name];
    return score === undefined ? cell?.values[name] : scoreText(score);
  };
  return (
    <span class={`score ${change ?? ''}`}>
      <Pair before={text(row.baseline)} after={text(row.result)} />
      {change === 'improved' && <Icon name="arrow-up" />}
      {change === 'regressed' && <Icon name="arrow-down" />}
      {change !== undefined && change !== 'same' && (
        <span class="for-screen-readers">
          {change === 'improved' ? l10n.t('improved') : l10n.t('regressed')}
        </span>
      )}
    </span>
  );
}

/** Whether the experiment was preferred to its baseline. */
function Preferred({ preference }: { readonly preference: Preference | undefined }) {
  switch (preference) {
    case 'won':
      return (
        <span class="preference won">
          <Icon name="thumbsup" /> {l10n.t('won')}
        </span>
      );
    case 'lost':
      return (
        <span class="preference lost">
          <Icon name="thumbsdown" /> {l10n.t('lost')}
        </span>
      );
    case 'tied':
      return <span class="muted">{l10n.t('tied')}</span>;
    default:
      return null;
  }
}

interface MeasuredProps {
  readonly before: Spread | undefined;
  readonly after: Spread | undefined;
  readonly text: (spread: Spread) => string;
}

function Measured({ before, after, text }: MeasuredProps) {
  return <Pair before={before && text(before)} after={after && text(after)} />;
}

/** A value before and after. It is shown once if both are the same, or if there was none before. */
function Pair({
  before,
  after,
}: {
  readonly before: string | undefined;
  readonly after: string | undefined;
}) {
  if (before === undefined || before === after) return <span>{after ?? ''}</span>;
  return (
    <span>
      <span class="before">{before}</span>
      <span aria-hidden="true"> → </span>
      <span class="for-screen-readers"> {l10n.t('then')} </span>
      {after ?? '–'}
    </span>
  );
}
