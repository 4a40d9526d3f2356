import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { exportTrace } from '../../trace-files/export-trace.ts';
import { importTraces } from '../../trace-files/import-traces.ts';
import { readTraceFile } from '../../trace-files/read-trace-file.ts';
import { withCancel } from '../dialogs/with-cancel.ts';
import { segment } from '../documents/address-segments.ts';
import { saveText } from '../documents/save-text.ts';

/**
 * Writes a trace to a file that the user chooses, as OTLP in JSON.
 * @throws RequestError
 */
export async function exportTraceFile(
  client: Client,
  { traceId, label }: { readonly traceId: string; readonly label: string },
): Promise<void> {
  await saveText({
    title: vscode.l10n.t('Export {0}', label),
    fileName: `${segment(label)}.json`,
    read: (signal) => Readable.from(exportTrace(client, traceId, { signal })),
  });
}

/**
 * Imports the traces of a file that the user chooses.
 * @param project the tracing project of runs, and of spans that name no project; by default, the platform
 *   decides
 * @throws TraceFileError that names the line which is wrong; RequestError
 */
export async function importTraceFile(client: Client, project: string | undefined): Promise<void> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Import Traces'),
      openLabel: vscode.l10n.t('Import'),
      filters: { [vscode.l10n.t('Traces')]: ['json', 'jsonl'], [vscode.l10n.t('All Files')]: ['*'] },
    })) ?? [];
  if (file === undefined) return;
  const title = vscode.l10n.t('Importing {0}', basename(file.fsPath));
  const { traces, refused } = await withCancel(title, async (signal) =>
    importTraces(client, readTraceFile(await readFile(file.fsPath, 'utf8')), { project, signal }),
  );
  if (refused.length > 0)
    throw new Error(vscode.l10n.t('Some traces could not be imported: {0}', refused.join(' ')));
  void vscode.window.showInformationMessage(
    traces === 1 ? vscode.l10n.t('Imported a trace.') : vscode.l10n.t('Imported {0} traces.', traces),
  );
}
