import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { type PurgePlan, type PurgePreview, planPurge } from '../../purge/plan-purge.ts';
import type { QueuedPurge } from '../../purge/queue-purge.ts';
import { runPurge } from '../../purge/run-purge.ts';
import type { PurgeScope } from '../../purge/scope.ts';
import { dateOf } from '../../terms/times.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import { confirmByName } from '../dialogs/confirm-by-name.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';
import { ago, joinParts, sizeText } from '../wording/format.ts';
import { formatPairs } from '../wording/metadata-pairs.ts';
import { traceTitle } from '../wording/trace-title.ts';
import { describeOutcome } from './describe-outcome.ts';
import type { QueuedDeletions } from './queued-deletions.ts';

interface PurgeFlowParts {
  readonly platform: PlatformConnection;
  readonly client: Client;
  readonly queued: QueuedDeletions;
  readonly errors: Pick<ErrorReporter, 'watch'>;
  /** Shows one of the traces that would be deleted. */
  openTrace(traceId: string, name: string): Promise<void>;
  /** Returns those of the thread IDs that the Threads view can show. */
  findThreads(ids: readonly string[]): Promise<readonly string[]>;
  showThreads(ids: readonly string[]): Promise<void>;
}

const tracesView = { location: { viewId: 'agentHarbor.traces' } };

/** Previews a purge, asks the user to confirm it by name, starts it, and follows it until it is verified. */
export async function purge(scope: PurgeScope, parts: PurgeFlowParts): Promise<void> {
  const { client } = parts;
  const plan = await vscode.window.withProgress(tracesView, () => planPurge(client, scope));
  const { preview } = plan;
  if (preview.traces === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No matching traces. Nothing was purged.'));
    return;
  }
  const answer = await showPreview(scope, plan, client);
  if (answer === undefined) return;
  if (answer !== 'purge') {
    await parts.openTrace(answer.trace_id, answer.name);
    return;
  }
  if (!(await confirm(scope, preview))) return;
  await carryOut(scope, plan, parts);
}

/**
 * Step 1: shows a preview with sample traces.
 * @returns `purge`, or a sample to open; undefined when canceled
 */
async function showPreview(scope: PurgeScope, { preview, hasJobs }: PurgePlan, client: Client) {
  const inputs = await readInputs(client, preview);
  const purgeItem: vscode.QuickPickItem = {
    label: vscode.l10n.t('Purge {0}…', countOf(preview)),
    iconPath: new vscode.ThemeIcon('trash'),
    description: targetOf(scope),
    detail: hasJobs
      ? detailOf(preview)
      : vscode.l10n.t(
          'These traces were found with a query, because this platform does not support dry runs.',
        ),
  };
  const samples = preview.samples.map((sample) => {
    const { label = sample.name, graph } = traceTitle({ ...sample, ...inputs.get(sample.trace_id) });
    return {
      label,
      iconPath: new vscode.ThemeIcon('pulse'),
      description: joinParts(graph, ago(sample.start_time)),
      sample,
    };
  });
  const separator: vscode.QuickPickItem = {
    label:
      preview.samples.length < preview.traces
        ? vscode.l10n.t('{0} of {1} traces', preview.samples.length, preview.traces)
        : vscode.l10n.t('All traces'),
    kind: vscode.QuickPickItemKind.Separator,
  };
  const chosen = await vscode.window.showQuickPick([purgeItem, separator, ...samples], {
    title: vscode.l10n.t('Purge Traces (1/2): Preview'),
    placeHolder: vscode.l10n.t('Preview only. Nothing is deleted yet. Threads are kept.'),
    ignoreFocusOut: true,
  });
  if (chosen === undefined) return undefined;
  return 'sample' in chosen ? chosen.sample : 'purge';
}

/** The beginnings of the inputs of sample traces, by ID: traces of a graph often have the same name. */
async function readInputs({ tracing }: Client, { samples }: PurgePreview) {
  const select = ['id', 'inputs_preview'];
  const id = samples.map(({ trace_id }) => trace_id);
  const { runs } =
    id.length === 0
      ? { runs: [] }
      : // If the inputs cannot be read, traces are listed by their names.
        await tracing.runs.query({ body: { id, select } }).catch(() => ({ runs: [] }));
  return new Map(runs.map((run) => [run.id, { inputs_preview: run.inputs_preview }]));
}

/** Step 2: asks the user to type the name. @returns whether they did */
function confirm(scope: PurgeScope, preview: PurgePreview): Promise<boolean> {
  const name = scope.project?.name ?? (scope.kind === 'metadata' ? formatPairs(scope.metadata) : '');
  return confirmByName({
    title: vscode.l10n.t('Purge Traces (2/2): Confirm {0}', countOf(preview)),
    prompt: vscode.l10n.t('Type “{0}” to confirm. This cannot be undone.', name),
    name,
  });
}

/** Step 3: sends the requests, and follows the jobs if the platform has them. */
async function carryOut(scope: PurgeScope, plan: PurgePlan, parts: PurgeFlowParts): Promise<void> {
  const outcome = await withProgress((report, signal) =>
    runPurge(parts.client, plan, {
      signal,
      onSent: (sent, of) => report(of > 1 ? vscode.l10n.t('request {0} of {1}', sent, of) : ''),
      onProgress: ({ deleted, matched }) =>
        report(matched === 0 ? '' : vscode.l10n.t('{0} of {1} deleted', deleted, matched)),
    }),
  );
  if (!plan.hasJobs && 'queued' in outcome && outcome.queued.sent > 0)
    await recordDeletion(scope, plan, outcome.queued, parts);
  const message = describeOutcome(outcome, plan, parts.platform.label);
  if (message instanceof Error) throw message;
  const isPurged = outcome.kind === 'ended' && outcome.state.status === 'verified';
  // Not awaited: the purge is done, even if the message is answered much later.
  const told = isPurged
    ? reportPurged(message, plan.preview, parts)
    : vscode.window.showInformationMessage(message);
  parts.errors.watch(told, 'purge');
}

/**
 * Records a deletion on a platform without jobs, which reports nothing more. The Traces view then counts the
 * remaining traces.
 */
async function recordDeletion(
  scope: PurgeScope,
  { preview }: PurgePlan,
  { traceIds }: QueuedPurge,
  { platform, queued }: PurgeFlowParts,
): Promise<void> {
  const requested: PurgeScope =
    traceIds.length > 0 && scope.project !== undefined
      ? { kind: 'traces', project: scope.project, traceIds }
      : scope;
  await queued.add(platform.id, requested, traceIds.length || preview.traces);
}

/** Reports that traces were deleted, and offers to show their threads, which were kept. */
async function reportPurged(
  message: string,
  { threadIds = [] }: PurgePreview,
  { findThreads, showThreads }: PurgeFlowParts,
): Promise<void> {
  // The purge is done. If its threads cannot be looked up, they are not offered.
  const found = threadIds.length === 0 ? [] : await findThreads(threadIds).catch(() => []);
  const show = vscode.l10n.t('Show Threads');
  const chosen = await vscode.window.showInformationMessage(message, ...(found.length > 0 ? [show] : []));
  if (chosen === show) await showThreads(found);
}

function withProgress<T>(
  work: (report: (message: string) => void, signal: AbortSignal) => Promise<T>,
): Thenable<T> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Purging traces'),
    cancellable: true,
  };
  return vscode.window.withProgress(options, (progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return work((message) => progress.report({ message }), abort.signal);
  });
}

function targetOf(scope: PurgeScope): string {
  const before = scope.kind === 'traces' ? undefined : scope.before;
  return joinParts(
    scope.kind === 'metadata' ? formatPairs(scope.metadata) : undefined,
    scope.project === undefined ? vscode.l10n.t('in all projects') : scope.project.name,
    before && vscode.l10n.t('before {0}', dateOf(before)?.toLocaleDateString() ?? before),
  );
}

function countOf({ traces }: PurgePreview): string {
  return traces === 1 ? vscode.l10n.t('1 trace') : vscode.l10n.t('{0} traces', traces);
}

function detailOf({ runs, feedback, bytes }: PurgePreview): string {
  return joinParts(
    runs === 1 ? vscode.l10n.t('1 span') : vscode.l10n.t('{0} spans', runs ?? 0),
    feedback === 1 ? vscode.l10n.t('1 feedback entry') : vscode.l10n.t('{0} feedback entries', feedback ?? 0),
    sizeText(bytes ?? 0),
  );
}
