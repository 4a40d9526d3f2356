import { plainLine } from '../../containers/server-line.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import type { LogEntry } from '../../contract/control-plane/logs.ts';
import type { Revision } from '../../contract/control-plane/revisions.ts';
import { isServedInPlace } from '../../deploy/find-deployment.ts';
import type { DeploymentWithLatest } from '../../deploy/latest-statuses.ts';
import { formatCount } from '../../process/format-count.ts';
import { dateOf } from '../../terms/times.ts';
import type { Colors } from '../terminal/colors.ts';
import { printable } from '../terminal/printable.ts';
import type { Column } from './table.ts';
import { localTime } from './time.ts';

/** Whether a deployment is a folder that is not served now. Its threads are kept. */
export function isClosedFolder(deployment: Deployment): boolean {
  return isServedInPlace(deployment) && !deployment.source_config.custom_url;
}

/** The name of a source in a table. */
const SOURCES: Readonly<Record<string, string>> = {
  github: 'git',
  internal_source: 'upload',
  workspace: 'folder',
  external_docker: 'image',
};

export const DEPLOYMENT_COLUMNS: readonly Column<DeploymentWithLatest>[] = [
  { title: 'NAME', cell: ({ name }) => name, flexible: true },
  { title: 'STATUS', cell: statusText },
  {
    title: 'LATEST REVISION',
    cell: ({ latest_revision_status }) => latest_revision_status ?? '',
    paint: (text, _, colors) => statusMark(text, colors),
  },
  // A folder served in place has no revisions. A deployment that was built from a folder has revisions.
  {
    title: 'SOURCE',
    cell: (deployment) =>
      isServedInPlace(deployment) ? 'open folder' : (SOURCES[deployment.source] ?? deployment.source),
  },
  { title: 'URL', cell: ({ source_config }) => source_config.custom_url || '-' },
  { title: 'ID', cell: ({ id }) => id },
];

function statusText(deployment: DeploymentWithLatest): string {
  if (isClosedFolder(deployment)) return '-';
  const { status, latest_revision_id, problem, paused_at } = deployment;
  if (paused_at) return 'PAUSED';
  // If no revision has been live yet, the column LATEST REVISION shows the progress.
  if (status === 'UNUSED' && latest_revision_id !== null) return 'NOT DEPLOYED';
  return problem === null ? status : `${status} (${problem})`;
}

export function revisionColumns({
  source,
  active_revision_id: active,
}: Pick<Deployment, 'source' | 'active_revision_id'>): readonly Column<Revision>[] {
  return [
    { title: 'REVISION', cell: ({ id }) => id },
    { title: 'STATUS', cell: ({ status }) => status },
    {
      // An image is identified by its digest, other sources by their commit.
      title: source === 'external_docker' ? 'DIGEST' : 'COMMIT',
      cell: ({ source_revision_config: config }) =>
        `${(config?.repo_commit_sha ?? digestIn(config))?.slice(0, 12) ?? '-'}${changesIn(config)}`,
    },
    { title: 'CREATED', cell: ({ created_at }) => localTime(created_at) },
    {
      title: 'NOTE',
      cell: ({ id, status_message, draining }) => {
        if (id === active) return 'live';
        if (draining !== undefined) return `draining, ${formatCount(draining.runs, 'run')} left`;
        return reasonInShort(status_message ?? '');
      },
      flexible: true,
    },
  ];
}

/** How many files of a folder differed from the commit. */
function changesIn(config: Revision['source_revision_config']): string {
  const changes = config?.uncommitted_changes;
  if (!changes || !config?.repo_commit_sha) return '';
  return ` + ${formatCount(changes, 'change')}`;
}

function digestIn(config: Revision['source_revision_config']): string | undefined {
  return config?.image_digest?.replace(/^sha256:/, '');
}

/** The first line of a reason. The other lines are in the log. */
function reasonInShort(reason: string): string {
  return reason.split('\n', 1)[0] ?? '';
}

export function statusMark(status: string, colors: Colors): string {
  if (status === 'DEPLOYED') return colors.green(status);
  return status.includes('FAILED') ? colors.red(status) : colors.yellow(status);
}

export function logLine({ timestamp, level, message }: LogEntry, colors: Colors): string {
  const date = dateOf(timestamp);
  const ms = String(date?.getMilliseconds()).padStart(3, '0');
  const time = date === undefined ? String(timestamp) : `${date.toTimeString().slice(0, 8)}.${ms}`;
  const text = printable(plainLine(message)).trimEnd();
  const shown =
    level === 'ERROR' || level === 'CRITICAL'
      ? colors.red(text)
      : level === 'WARNING'
        ? colors.yellow(text)
        : text;
  return `${colors.dim(time)} ${shown}`;
}
