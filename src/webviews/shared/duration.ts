import * as l10n from '@vscode/l10n';
import { durationOf } from '../../terms/durations.ts';

/** A duration in words, such as `0.4 ms`, `840 ms`, `1.24 s`, `12.3 s` or `2 min 5 s`. */
export function duration(ms: number): string {
  const parts = durationOf(ms);
  switch (parts.unit) {
    case 'ms':
      return l10n.t('{0} ms', parts.value);
    case 's':
      return l10n.t('{0} s', parts.value);
    case 'min':
      return l10n.t('{0} min {1} s', parts.minutes, parts.seconds);
  }
}
