import * as vscode from 'vscode';

/**
 * The run file that a command was called on, such as a row of the Explorer; else one that the user chooses.
 * @returns undefined when canceled
 */
export async function chooseRunFile(argument: unknown, title: string): Promise<string | undefined> {
  if (argument instanceof vscode.Uri && argument.path.endsWith('.agentrun')) return argument.fsPath;
  const [file] =
    (await vscode.window.showOpenDialog({
      title,
      filters: { [vscode.l10n.t('Runs')]: ['agentrun'], [vscode.l10n.t('All Files')]: ['*'] },
    })) ?? [];
  return file?.fsPath;
}
