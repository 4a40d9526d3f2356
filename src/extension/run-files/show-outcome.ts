import * as vscode from 'vscode';
import type { Divergence } from '../../contract/agent-server/exchanges.ts';
import { canonicalRequest } from '../../replay/canonical-request.ts';
import { causeOf, type DivergenceCause } from '../../replay/divergence-cause.ts';
import { nodePath } from '../../replay/node-path.ts';
import type { Ends, ReplayOutcome } from '../../run-files/replay-outcome.ts';
import type { ReadOnlyDocuments } from '../documents/read-only-documents.ts';

/**
 * Shows in a message whether a replay matches its file, and the first difference in the diff editor.
 * @returns whether the user wants to see the thread
 */
export async function showOutcome(
  documents: ReadOnlyDocuments,
  name: string,
  outcome: ReplayOutcome,
): Promise<boolean> {
  if (outcome.kind === 'same') {
    if (!outcome.isNew) {
      void vscode.window.showInformationMessage(describeMatch(name, outcome));
      return false;
    }
  } else await showDifference(documents, name, outcome);
  const openThread = vscode.l10n.t('Open Thread');
  const chosen = await vscode.window.showWarningMessage(describeKept(name, outcome), openThread);
  return chosen === openThread;
}

function describeMatch(name: string, { answered, live }: ReplayOutcome): string {
  return live === 0
    ? vscode.l10n.t('{0}: Replay matches the recording ({1} requests).', name, answered)
    : vscode.l10n.t(
        '{0} ended as recorded: {1} requests answered from the file, {2} sent.',
        name,
        answered,
        live,
      );
}

/** The message about a replay whose thread is kept: it differs, or has sent new requests. */
function describeKept(name: string, outcome: ReplayOutcome): string {
  switch (outcome.kind) {
    case 'same':
      return vscode.l10n.t('{0} was replayed with new requests: {1} sent.', name, outcome.live);
    case 'diverged':
      return describeDivergence(outcome.divergence);
    case 'ended':
      return outcome.ends === undefined ? '' : describeEnds(outcome.ends);
    case 'unused':
      return vscode.l10n.t('The run did not send {0} of the recorded requests.', outcome.unused.length);
    case 'steps':
      return vscode.l10n.t('The steps differ from the recording.');
    case 'values':
      return vscode.l10n.t('The values differ from the recording.');
  }
}

function describeEnds({ recorded, now }: Ends): string {
  const why = now.error === undefined ? '' : `${now.error.error}: ${now.error.message}`;
  return recorded?.status === now.status
    ? vscode.l10n.t('The run failed with a different error than the recorded run: {0}', why)
    : `${vscode.l10n.t('The run ended as {0}, the recorded run as {1}.', now.status, recorded?.status ?? '')} ${why}`.trimEnd();
}

function describeDivergence(divergence: Divergence): string {
  const { place, request } = divergence;
  const { method, url } = request;
  const what =
    place.node === ''
      ? vscode.l10n.t('Code outside any node sent a request that was not recorded: {0} {1}.', method, url)
      : vscode.l10n.t(
          "Node '{0}' sent a request that was not recorded: {1} {2}.",
          nodePath(place.node),
          method,
          url,
        );
  return `${what} ${describeCause(causeOf(divergence))}`;
}

function describeCause(cause: DivergenceCause): string {
  switch (cause.kind) {
    case 'repeated':
      return vscode.l10n.t('The same request was recorded, but fewer times.');
    case 'exhausted':
      return vscode.l10n.t('All recorded requests had been answered.');
    case 'different':
      return cause.node === undefined
        ? vscode.l10n.t('The most similar recorded request is number {0}.', cause.number)
        : vscode.l10n.t(
            "The most similar recorded request is number {0}, of node '{1}'.",
            cause.number,
            cause.node,
          );
  }
}

async function showDifference(
  documents: ReadOnlyDocuments,
  name: string,
  outcome: Exclude<ReplayOutcome, { kind: 'same' }>,
): Promise<void> {
  switch (outcome.kind) {
    case 'diverged': {
      const { nearest, request, place } = outcome.divergence;
      if (nearest === null) return;
      const title = vscode.l10n.t('{0}: Recorded ↔ Now', nodePath(place.node) || name);
      await documents.compareValues(title, canonicalRequest(nearest.request), canonicalRequest(request));
      return;
    }
    case 'steps':
    case 'values': {
      const title = vscode.l10n.t('{0}: Recorded ↔ Now', name);
      await documents.compareValues(title, outcome.recorded, outcome.now);
      return;
    }
    default:
      return;
  }
}
