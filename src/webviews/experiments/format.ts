import * as l10n from '@vscode/l10n';
import type { Spread } from '../../extension/panels/experiments/messages.ts';
import { money } from '../../terms/money.ts';
import { dateOf } from '../../terms/times.ts';
import { duration } from '../shared/duration.ts';

type Shown = Pick<Spread, 'mean' | 'deviation'>;

/** A score with its deviation, such as `0.67 ± 0.58`. A deviation of 0 is left out. */
export function scoreText({ mean, deviation }: Shown): string {
  return withDeviation(rounded(mean), deviation && rounded(deviation));
}

/** A latency with its deviation, such as `1.5 ± 0.7 ms` or `1.24 s ± 120 ms`. A unit that both share is written once. */
export function latencyText({ mean, deviation }: Shown): string {
  const [value, spread] = [duration(mean), deviation && duration(deviation)];
  const unit = / \S+$/.exec(value)?.[0] ?? '';
  // A value such as `2 min 5 s` has several units.
  const hasOneUnit = value.indexOf(' ') === value.lastIndexOf(' ');
  const sharesUnit = spread && hasOneUnit && spread.endsWith(unit);
  return withDeviation(sharesUnit ? value.slice(0, -unit.length) : value, spread);
}

/** A cost with its deviation, such as `$0.012 ± $0.001`. */
export function costText({ mean, deviation }: Shown): string {
  return withDeviation(money(mean), deviation && money(deviation));
}

/** A share as a percentage, such as `12%`; empty for 0. */
export function shareText(share: number): string {
  return share === 0 ? '' : `${share < 0.01 ? '<1' : Math.round(share * 100)}%`;
}

/** A date and time in the local format; empty if the time cannot be read. */
export function timeText(time: string): string {
  return dateOf(time)?.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' }) ?? '';
}

function withDeviation(mean: string, deviation: string | number | undefined): string {
  return deviation ? l10n.t('{0} ± {1}', mean, deviation) : mean;
}

function rounded(value: number): string {
  return String(Number(value.toFixed(2)));
}
