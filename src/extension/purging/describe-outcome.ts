import * as vscode from 'vscode';
import type { PurgePlan } from '../../purge/plan-purge.ts';
import type { QueuedPurge } from '../../purge/queue-purge.ts';
import type { PurgeOutcome } from '../../purge/run-purge.ts';
import type { JobsState } from '../../purge/watch-jobs.ts';
import { dateOf } from '../../terms/times.ts';
import { sentenceOf } from '../dialogs/errors.ts';

/** Describes how far a purge got. @returns the message, or the error to report */
export function describeOutcome(
  outcome: PurgeOutcome,
  { requests }: Pick<PurgePlan, 'requests'>,
  platform: string,
): string | Error {
  switch (outcome.kind) {
    case 'stopped':
      return describeStop(outcome.queued, requests);
    case 'queued':
      return vscode.l10n.t(
        '{0} queued the deletion and does not report when it runs. The traces remain until then. The Traces view will check again.',
        platform,
      );
    case 'unwatched': {
      const { error } = outcome;
      if (error === undefined) return describeRunning();
      return new Error(
        vscode.l10n.t('The purge was requested, but the server is not responding: {0}', sentenceOf(error)),
        { cause: error },
      );
    }
    case 'ended':
      return describeState(outcome.state);
  }
}

/**
 * Describes a purge that stopped between its requests. A plan of several requests lists the traces of each.
 */
function describeStop(
  { sent, traceIds, error }: QueuedPurge,
  requests: PurgePlan['requests'],
): string | Error {
  if (sent === 0) return vscode.l10n.t('Purge canceled. Nothing was deleted.');
  const total = requests.reduce((sum, { trace_ids }) => sum + (trace_ids?.length ?? 0), 0);
  if (error === undefined)
    return vscode.l10n.t(
      'Purge canceled: {0} of {1} traces were requested and will be deleted.',
      traceIds.length,
      total,
    );
  return new Error(
    vscode.l10n.t(
      'The purge stopped: {0} of {1} traces were requested and will be deleted. {2}',
      traceIds.length,
      total,
      sentenceOf(error),
    ),
    { cause: error },
  );
}

function describeState({ status, deleted, notBefore, error }: JobsState): string | Error {
  switch (status) {
    case 'verified':
      return deleted === 1
        ? vscode.l10n.t('Purged 1 trace. Verified: no data remains.')
        : vscode.l10n.t('Purged {0} traces. Verified: no data remains.', deleted);
    case 'failed':
      return new Error(vscode.l10n.t('The purge failed. Some traces may remain: {0}', error ?? ''));
    case 'waiting': {
      const time = dateOf(notBefore)?.toLocaleString() ?? '';
      return vscode.l10n.t('The traces will be purged when the purge window opens: {0}.', time);
    }
    case 'running':
      return describeRunning();
  }
}

function describeRunning(): string {
  return vscode.l10n.t('The purge is still running. The Traces view shows its progress.');
}
