import * as l10n from '@vscode/l10n';

/** `0.4 ms`, `840 ms`, `1.24 s`, `12.3 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 10) return l10n.t('{0} ms', Number(ms.toFixed(1)));
  if (ms < 999.5) return l10n.t('{0} ms', Math.round(ms));
  const seconds = ms / 1000;
  if (seconds < 10) return l10n.t('{0} s', seconds.toFixed(2));
  if (seconds < 59.95) return l10n.t('{0} s', seconds.toFixed(1));
  const whole = Math.round(seconds);
  return l10n.t('{0} min {1} s', Math.floor(whole / 60), whole % 60);
}
