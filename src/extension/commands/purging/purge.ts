import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { PurgeScope } from '../../../purge/scope.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { ErrorReporter } from '../../dialogs/errors.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import type { QueuedDeletions } from '../../purging/queued-deletions.ts';
import { DatasetElement, ExampleElement } from '../../views/datasets.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { selectedRows } from '../../views/selected-rows.ts';
import type { ThreadOptions } from '../../views/thread-options.ts';
import { ProjectElement, TraceElement } from '../../views/traces.ts';
import type { Command } from '../command.ts';
import { deleteDataset } from '../datasets/delete-dataset.ts';
import { deleteExamples } from '../datasets/delete-examples.ts';
import { askForProjectAndScope, askForScope } from './ask-for-scope.ts';

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
  const scope = await findScope(client, argument, selected);
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

/** The traces that the selected rows name, or that the user chooses. @returns undefined when canceled */
async function findScope(
  client: Client,
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
  return askForProjectAndScope(client);
}
