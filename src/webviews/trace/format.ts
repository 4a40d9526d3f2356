import * as l10n from '@vscode/l10n';

/** A mark on the axis: `0`, `250 ms`, `1.5 s`, `2 min`. */
export function tick(ms: number): string {
  if (ms === 0) return '0';
  if (ms < 1000) return l10n.t('{0} ms', trimZeros(ms, 3));
  if (ms < 120_000) return l10n.t('{0} s', trimZeros(ms / 1000, 3));
  return l10n.t('{0} min', trimZeros(ms / 60_000, 2));
}

/** `950`, `1.2k`, `34k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 9_950) return `${(count / 1000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

function trimZeros(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
