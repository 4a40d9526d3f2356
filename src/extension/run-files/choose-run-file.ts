import * as vscode from 'vscode';

/**
 * The run file of a command: that of the explorer or the editor it was called from, or else one that the user
 * chooses.
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
