import * as l10n from '@vscode/l10n';
import { cut } from '../shared/cut.ts';
import { pausedBefore } from './paused-before.ts';
import { nodesPausedBefore, type Transcript } from './transcript-model.ts';

/** The maximum number of characters of an answer that are announced; the output shows all of it. */
const MAX_ANNOUNCED = 600;

/** The text that tells screen readers how a run starts and ends, but not each token. */
export function announcementOf({ rows, status }: Pick<Transcript, 'rows' | 'status'>): string {
  // An answer before the last input belongs to an earlier run.
  const last = rows.findLast(({ kind }) => ['ai', 'human', 'input'].includes(kind));
  const answer = last?.kind === 'ai' ? cut(last.text, MAX_ANNOUNCED) : '';
  return {
    idle: rows.length === 0 ? '' : l10n.t('The run has ended. {0}', answer),
    running: l10n.t('Running'),
    interrupted: l10n.t('The run is waiting for your input.'),
    paused: pausedBefore(nodesPausedBefore({ rows })),
    error: l10n.t('The run has failed.'),
  }[status];
}
