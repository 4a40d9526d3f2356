import * as vscode from 'vscode';
import type { Command } from './command.ts';

/** Makes a thread of a run file, and shows it. */
export const importRun: Command = async ({ deployments, panels }, argument) => {
  const { chooseRunFile } = await import('../run-files/choose-run-file.ts');
  const file = await chooseRunFile(argument, vscode.l10n.t('Import Run File'));
  if (file === undefined) return;
  const { importRun } = await import('../run-files/import-run.ts');
  (await panels()).open(await importRun(deployments, file));
};
