import * as l10n from '@vscode/l10n';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Steps of ten seconds and more, which divide a minute or an hour, as on a clock. */
const CLOCK_STEPS_MS = [10, 15, 30]
  .map((seconds) => seconds * SECOND_MS)
  .concat([1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS))
  .concat([1, 2, 6, 12, 24].map((hours) => hours * HOUR_MS));

/** Round times for the marks of an axis, in milliseconds: 0 and at most `limit` others. */
export function ticksOf(lengthMs: number, limit: number): number[] {
  if (!(lengthMs > 0) || limit < 1) return [0];
  const rough = lengthMs / limit;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const decimal = magnitude * ([1, 2, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10);
  const step =
    rough <= 10 * SECOND_MS ? decimal : (CLOCK_STEPS_MS.find((clock) => clock >= rough) ?? decimal);
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, at) => at * step);
}

/** The label of a time on the axis, such as `0`, `250 ms`, `1.5 s` or `2 min`. */
export function tickLabel(ms: number): string {
  if (ms === 0) return '0';
  if (ms < SECOND_MS) return l10n.t('{0} ms', trimZeros(ms, 3));
  if (ms < 2 * MINUTE_MS) return l10n.t('{0} s', trimZeros(ms / SECOND_MS, 3));
  return l10n.t('{0} min', trimZeros(ms / MINUTE_MS, 2));
}

function trimZeros(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
