import type { PurgeJob } from '../../contract/purging.ts';
import { millisecondsOf } from '../../terms/times.ts';
import { paintStatus } from './status.ts';
import type { Column } from './table.ts';
import { localTime } from './time.ts';

export const JOB_COLUMNS: readonly Column<PurgeJob>[] = [
  { title: 'PURGE', cell: ({ id }) => id },
  { title: 'STATUS', cell: ({ status }) => status, paint: paintStatus },
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'MATCHED', cell: ({ matched }) => String(matched) },
  { title: 'DELETED', cell: ({ deleted }) => String(deleted) },
  { title: 'REQUESTED', cell: ({ created_at }) => localTime(created_at) },
  { title: 'ERROR', cell: ({ error }) => error ?? '', flexible: true },
];

/** The progress of a purge that has not ended, as a sentence. */
export function jobProgress({ status, matched, deleted, not_before }: PurgeJob): string {
  if (status === 'pending') {
    return (millisecondsOf(not_before) ?? 0) > Date.now()
      ? `Waiting for the purge window, which opens at ${localTime(not_before)}…`
      : 'Queued…';
  }
  if (matched === 0) return 'Finding traces…';
  return deleted < matched
    ? `Deleting: ${deleted.toLocaleString('en')} of ${matched.toLocaleString('en')} traces…`
    : 'Freeing disk space and verifying…';
}
