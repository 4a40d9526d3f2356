import * as vscode from 'vscode';
import type { ProjectRef, PurgeScope } from '../../../purge/scope.ts';
import { isoTime, startOfLocalDay } from '../../../terms/times.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import { type ErrorReporter, sentenceOf } from '../../dialogs/errors.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import type { QueuedDeletions } from '../../purging/queued-deletions.ts';
import { DatasetElement, ExampleElement } from '../../views/datasets.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { selectedRows } from '../../views/selected-rows.ts';
import type { ThreadOptions } from '../../views/thread-options.ts';
import { ProjectElement, TraceElement } from '../../views/traces.ts';
import { parsePairs } from '../../wording/metadata-pairs.ts';
import type { Command } from '../command.ts';
import { deleteDataset } from '../datasets/delete-dataset.ts';
import { deleteExamples } from '../datasets/delete-examples.ts';

interface PurgeParts {
  readonly deployments: Deployments;
  readonly queuedDeletions: QueuedDeletions;
  readonly errors: ErrorReporter;
  readonly trees: Trees;
  readonly threadOptions: ThreadOptions;
  readonly tracePanels: () => Promise<TracePanels>;
}

/** Purges the selected traces, traces of a project, or matching traces, after a preview. */
export const purge: Command<PurgeParts> = async (parts, argument, selected) => {
  // In the Traces view, the Delete key calls this command for datasets and examples too.
  if (argument instanceof DatasetElement) return deleteDataset(parts, argument, selected);
  if (argument instanceof ExampleElement) return deleteExamples(parts, argument, selected);
  const { deployments, queuedDeletions } = parts;
  const platform = deployments.connection;
  const client = await platform.connect();
  const scope = await scopeOf(parts, argument, selected);
  if (scope === undefined) return;
  const flow = await import('../../purging/purge-flow.ts');
  await flow.purge(scope, {
    platform,
    client,
    queued: queuedDeletions,
    errors: parts.errors,
    openTrace: async (traceId, name) => {
      (await parts.tracePanels()).open({ connection: platform.id, traceId, name });
    },
    findThreads: (ids) => findThreads(parts, ids),
    showThreads: async (ids) => {
      await parts.threadOptions.filter.set({ ids });
      await vscode.commands.executeCommand('agentHarbor.threads.focus');
    },
  });
  parts.trees.traces.refresh();
};

/**
 * Returns those of the given threads that belong to the current deployment, whose threads the Threads view
 * shows.
 */
async function findThreads({ deployments }: PurgeParts, ids: readonly string[]): Promise<string[]> {
  const opened = await deployments.findOpen();
  if (opened === undefined) return [];
  const found = await opened.client.threads.search({
    body: { ids: [...ids], limit: ids.length, select: ['thread_id'] },
  });
  return found.flatMap(({ thread_id }) => thread_id ?? []);
}

async function scopeOf(
  parts: PurgeParts,
  argument: unknown,
  selected: unknown,
): Promise<PurgeScope | undefined> {
  const rows = selectedRows(argument, selected);
  const traces = rows.filter((row) => row instanceof TraceElement);
  const [first] = traces;
  if (first !== undefined) {
    const { project } = first.parent;
    if (traces.some(({ parent }) => parent.project.id !== project.id))
      throw new Error(
        vscode.l10n.t('The selected traces are in several projects. Select traces from only one.'),
      );
    return { kind: 'traces', project, traceIds: traces.map(({ traceId }) => traceId) };
  }
  if (argument instanceof ProjectElement) return askForScope(argument.project);
  const project = await askForProject(parts);
  return project && askForScope(project === 'all' ? undefined : project);
}

async function askForProject({ deployments }: PurgeParts): Promise<ProjectRef | 'all' | undefined> {
  const client = await deployments.connection.connect();
  const projects = await client.tracing.sessions.list({
    query: { sort_by: 'last_run_start_time', sort_by_desc: true, limit: 100 },
  });
  const all = {
    label: vscode.l10n.t('All projects'),
    iconPath: new vscode.ThemeIcon('globe'),
    description: vscode.l10n.t('by metadata'),
    project: 'all' as const,
  };
  const items = projects.map(({ id, name }) => ({
    label: name,
    iconPath: new vscode.ThemeIcon('project'),
    project: { id, name },
  }));
  const title = vscode.l10n.t('Select the project to purge traces from');
  return (await vscode.window.showQuickPick([all, ...items], { title }))?.project;
}

async function askForScope(project: ProjectRef | undefined): Promise<PurgeScope | undefined> {
  if (project === undefined) {
    const metadata = await askForMetadata();
    return metadata && { kind: 'metadata', metadata };
  }
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
    validateInput: (value) => {
      try {
        const pairs = parsePairs(value);
        return Object.keys(pairs).length === 0
          ? vscode.l10n.t('Enter at least one key=value pair.')
          : undefined;
      } catch (error) {
        return sentenceOf(error);
      }
    },
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
 * Parses the time before which traces are purged: a local date, or a number of days.
 * @returns ISO 8601; undefined if the text is neither
 */
function timeOf(text: string): string | undefined {
  const trimmed = text.trim();
  const days = /^\d{1,5}$/.test(trimmed) ? Number(trimmed) : undefined;
  if (days !== undefined) return isoTime(Date.now() - days * 86_400_000);
  const day = startOfLocalDay(trimmed);
  return day === undefined ? undefined : isoTime(day);
}
