import type { Deployment } from '../../contract/control-plane/deployments.ts';
import type { LogEntry } from '../../contract/control-plane/logs.ts';
import type { Revision } from '../../contract/control-plane/revisions.ts';
import { type Colors, printable } from '../terminal.ts';
import type { Column } from './table.ts';

/** A folder that is not served now; its threads are kept. */
export function isClosedFolder({ source, latest_revision_id, source_config }: Deployment): boolean {
  return source === 'workspace' && latest_revision_id === null && !source_config.custom_url;
}

export const DEPLOYMENT_COLUMNS: readonly Column<Deployment>[] = [
  { title: 'NAME', cell: ({ name }) => name, flexible: true },
  { title: 'STATUS', cell: (deployment) => (isClosedFolder(deployment) ? '-' : deployment.status) },
  // A folder served in place has no revisions; a build of it has.
  {
    title: 'SOURCE',
    cell: ({ source, latest_revision_id }) =>
      source === 'workspace' && latest_revision_id === null ? 'open folder' : source,
  },
  { title: 'URL', cell: ({ source_config }) => source_config.custom_url || '-' },
  { title: 'ID', cell: ({ id }) => id },
];

export function revisionColumns(active: string | null): readonly Column<Revision>[] {
  return [
    { title: 'REVISION', cell: ({ id }) => id },
    { title: 'STATUS', cell: ({ status }) => status },
    {
      title: 'COMMIT',
      cell: ({ source_revision_config }) => source_revision_config?.repo_commit_sha?.slice(0, 12) ?? '-',
    },
    { title: 'CREATED', cell: ({ created_at }) => created_at },
    {
      title: '',
      cell: ({ id, status_message }) => (id === active ? 'live' : (status_message ?? '')),
      flexible: true,
    },
  ];
}

export function statusMark(status: string, colors: Colors): string {
  if (status === 'DEPLOYED') return colors.green(status);
  return status.includes('FAILED') ? colors.red(status) : colors.yellow(status);
}

export function logLine({ timestamp, level, message }: LogEntry, colors: Colors): string {
  const date = new Date(timestamp);
  const time = Number.isNaN(date.getTime()) ? String(timestamp) : date.toISOString().slice(11, 23);
  const text = printable(message).trimEnd();
  const shown =
    level === 'ERROR' || level === 'CRITICAL'
      ? colors.red(text)
      : level === 'WARNING'
        ? colors.yellow(text)
        : text;
  return `${colors.dim(time)} ${shown}`;
}
