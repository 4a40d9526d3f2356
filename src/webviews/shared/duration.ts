import * as l10n from '@vscode/l10n';
import { durationOf } from '../../terms/durations.ts';

/** `0.4 ms`, `840 ms`, `1.24 s`, `12.3 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  const said = durationOf(ms);
  switch (said.unit) {
    case 'ms':
      return l10n.t('{0} ms', said.value);
    case 's':
      return l10n.t('{0} s', said.value);
    case 'min':
      return l10n.t('{0} min {1} s', said.minutes, said.seconds);
  }
}
