import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { ProjectRef, PurgeScope } from '../../../purge/scope.ts';
import { isoTime, startOfLocalDay } from '../../../terms/times.ts';
import { parsePairs } from '../../wording/metadata-pairs.ts';
import { pairsProblem } from '../arguments/pairs-problem.ts';

/** The maximum number of projects that are offered: those that ran last. */
const MAX_PROJECTS = 1000;
const DAY_MS = 86_400_000;

/**
 * Asks for a project and which of its traces to purge, or for the metadata of traces in all projects.
 * @returns undefined when canceled
 */
export async function askForProjectAndScope(client: Client): Promise<PurgeScope | undefined> {
  const chosen = await askForProject(client);
  if (chosen === undefined) return undefined;
  return chosen === 'all' ? askForScopeInAllProjects() : askForScope(chosen);
}

/** Offers the projects that ran last, and all projects together. */
async function askForProject(client: Client): Promise<ProjectRef | 'all' | undefined> {
  const { readUpTo } = await import('../../../client/read-up-to.ts');
  const order = { sort_by: 'last_run_start_time', sort_by_desc: true } as const;
  const { found, isMore } = await readUpTo(MAX_PROJECTS, (page) =>
    client.tracing.sessions.list({ query: { ...page, ...order } }),
  );
  const all = {
    label: vscode.l10n.t('All projects'),
    iconPath: new vscode.ThemeIcon('globe'),
    description: vscode.l10n.t('by metadata'),
    project: 'all' as const,
  };
  const items = found.map(({ id, name }) => ({
    label: name,
    iconPath: new vscode.ThemeIcon('project'),
    project: { id, name },
  }));
  const options = {
    title: vscode.l10n.t('Select the project to purge traces from'),
    ...(isMore && {
      placeHolder: vscode.l10n.t(
        'Only the {0} projects that ran last are listed. Select others in the Traces view.',
        MAX_PROJECTS,
      ),
    }),
  };
  return (await vscode.window.showQuickPick([all, ...items], options))?.project;
}

async function askForScopeInAllProjects(): Promise<PurgeScope | undefined> {
  const metadata = await askForMetadata();
  return metadata && { kind: 'metadata', metadata };
}

/** Asks which traces of a project to purge. @returns undefined when canceled */
export async function askForScope(project: ProjectRef): Promise<PurgeScope | undefined> {
  const items = [
    { label: vscode.l10n.t('All traces of {0}', project.name), which: 'all' },
    { label: vscode.l10n.t('Traces before a date…'), which: 'before' },
    { label: vscode.l10n.t('Traces with metadata…'), which: 'metadata' },
  ] as const;
  const title = vscode.l10n.t('Select the traces of {0} to purge', project.name);
  switch ((await vscode.window.showQuickPick(items, { title }))?.which) {
    case undefined:
      return undefined;
    case 'all':
      return { kind: 'project', project };
    case 'before': {
      const before = await askForTime();
      return before === undefined ? undefined : { kind: 'project', project, before };
    }
    case 'metadata': {
      const metadata = await askForMetadata();
      return metadata && { kind: 'metadata', metadata, project };
    }
  }
}

async function askForMetadata(): Promise<ReturnType<typeof parsePairs> | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Purge Traces with Metadata'),
    prompt: vscode.l10n.t('Traces with any of these pairs, on any span, are purged.'),
    placeHolder: 'user=u1 email="u1@example.com"',
    validateInput: (value) =>
      value.trim() === '' ? vscode.l10n.t('Enter at least one key=value pair.') : pairsProblem(value),
  });
  return text === undefined ? undefined : parsePairs(text);
}

/** Asks for a time. @returns ISO 8601; undefined when canceled */
async function askForTime(): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Purge Traces Before a Date'),
    prompt: vscode.l10n.t('Enter a date, such as 2026-01-31, or the number of days to keep, such as 30.'),
    validateInput: (value) =>
      timeOf(value) === undefined
        ? vscode.l10n.t('Enter a date (YYYY-MM-DD) or a number of days.')
        : undefined,
  });
  return text === undefined ? undefined : timeOf(text);
}

/**
 * Parses the time before which traces are purged: the start of a local date, or a number of days ago.
 * @returns ISO 8601; undefined if the text is neither
 */
function timeOf(text: string): string | undefined {
  const trimmed = text.trim();
  const days = /^\d{1,5}$/.test(trimmed) ? Number(trimmed) : undefined;
  if (days !== undefined) return isoTime(Date.now() - days * DAY_MS);
  const day = startOfLocalDay(trimmed);
  return day === undefined ? undefined : isoTime(day);
}
