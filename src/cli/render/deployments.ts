import type { Deployment } from '../../contract/control-plane/deployments.ts';
import type { LogEntry } from '../../contract/control-plane/logs.ts';
import type { Revision } from '../../contract/control-plane/revisions.ts';
import { type Colors, printable } from '../terminal.ts';

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export function deploymentRows(deployments: readonly Deployment[]): string[][] {
  return [
    ['NAME', 'STATUS', 'SOURCE', 'URL', 'ID'],
    ...deployments.map((deployment) => [
      printable(deployment.name),
      printable(deployment.status),
      printable(deployment.source),
      printable(deployment.source_config.custom_url || '-'),
      printable(deployment.id),
    ]),
  ];
}

export function revisionRows(revisions: readonly Revision[], active: string | null): string[][] {
  return [
    ['REVISION', 'STATUS', 'COMMIT', 'CREATED', ''],
    ...revisions.map((revision) => [
      printable(revision.id),
      printable(revision.status),
      printable(revision.source_revision_config?.repo_commit_sha?.slice(0, 12) ?? '-'),
      printable(revision.created_at),
      revision.id === active ? 'live' : printable(revision.status_message ?? ''),
    ]),
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
