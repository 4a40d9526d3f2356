import type { Deployment } from '../../contract/control-plane/deployments.ts';
import type { LogEntry } from '../../contract/control-plane/logs.ts';
import type { Revision } from '../../contract/control-plane/revisions.ts';
import { isServedInPlace } from '../../deploy/find-deployment.ts';
import type { DeploymentWithLatest } from '../../deploy/latest-statuses.ts';
import { type Colors, printable } from '../terminal.ts';
import type { Column } from './table.ts';

/** Characters of a reason in a table; the log has all of it. */
const MAX_REASON = 160;

/** A folder that is not served now; its threads are kept. */
export function isClosedFolder(deployment: Deployment): boolean {
  return isServedInPlace(deployment) && !deployment.source_config.custom_url;
}

/** The name of a source in a table. */
const SOURCES: Readonly<Record<string, string>> = {
  github: 'git',
  internal_source: 'upload',
  workspace: 'folder',
};

export const DEPLOYMENT_COLUMNS: readonly Column<DeploymentWithLatest>[] = [
  { title: 'NAME', cell: ({ name }) => name, flexible: true },
  { title: 'STATUS', cell: (deployment) => (isClosedFolder(deployment) ? '-' : deployment.status) },
  {
    title: 'LATEST REVISION',
    cell: ({ latest_revision_status }) => latest_revision_status ?? '',
    paint: (text, _, colors) => statusMark(text, colors),
  },
  // A folder served in place has no revisions; a build of it has.
  {
    title: 'SOURCE',
    cell: (deployment) =>
      isServedInPlace(deployment) ? 'open folder' : (SOURCES[deployment.source] ?? deployment.source),
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
      cell: ({ id, status_message }) => (id === active ? 'live' : reasonInShort(status_message ?? '')),
      flexible: true,
    },
  ];
}

/** The sentence of a reason; the lines below it are in the log. */
function reasonInShort(reason: string): string {
  const [sentence = ''] = reason.split('\n');
  return sentence.length > MAX_REASON ? `${sentence.slice(0, MAX_REASON)}…` : sentence;
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
