import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import { comparisonCsv } from '../../../experiments/comparison-csv.ts';
import { readLowerIsBetter } from '../../../experiments/lower-is-better.ts';
import { readExperiments } from '../../../experiments/read-experiments.ts';
import { readResults } from '../../../experiments/read-results.ts';
import { segment } from '../../documents.ts';
import type { Compared } from './messages.ts';

/**
 * Writes a comparison with whole outputs as CSV to a file that the user chooses, page by page. A file that could not be
 * written to its end is removed.
 * @throws Error of the platform or the disk
 */
export async function saveComparison(
  client: Client,
  dataset: { readonly id: string; readonly name: string },
  { baseline_id, experiment_id }: Compared,
): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `${segment(dataset.name)}.csv`;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Comparison'),
    filters: { CSV: ['csv'] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (target === undefined) return;
  const ids = [...(baseline_id === undefined ? [] : [baseline_id]), experiment_id];
  const all = await readExperiments(client, dataset.id);
  const experiments = ids.flatMap((id) => all.find((experiment) => experiment.id === id) ?? []);
  const lowerIsBetter = await readLowerIsBetter(client).catch(() => new Set<string>());
  const keys = [...new Set(experiments.flatMap(({ scores }) => Object.keys(scores)))];
  const title = vscode.l10n.t('Exporting {0}…', dataset.name);
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
    const stopping = new AbortController();
    token.onCancellationRequested(() => stopping.abort(new vscode.CancellationError()));
    const { signal } = stopping;
    const pages = readResults(client, dataset.id, ids, { isWhole: true, signal });
    const lines = comparisonCsv(pages, { experiments, keys, lowerIsBetter });
    try {
      await pipeline(Readable.from(lines), createWriteStream(target.fsPath), { signal });
    } catch (error) {
      await rm(target.fsPath, { force: true });
      throw error;
    }
  });
  void offerToOpen(target);
}

async function offerToOpen(file: vscode.Uri): Promise<void> {
  const open = vscode.l10n.t('Open');
  const message = vscode.l10n.t('Exported to {0}.', vscode.workspace.asRelativePath(file));
  if ((await vscode.window.showInformationMessage(message, open)) === open)
    await vscode.window.showTextDocument(file);
}
