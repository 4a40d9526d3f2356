import * as vscode from 'vscode';
import type { PlatformConnection } from '../connections/connection.ts';

/** Reports when the local server stops responding, and offers to restart it. */
export function reportUnresponsiveServer(local: PlatformConnection): vscode.Disposable {
  let wasSilent = false;
  return local.onDidChangeState(({ status }) => {
    if (status === 'silent' && !wasSilent) void offerRestart(local);
    wasSilent = status === 'silent';
  });
}

async function offerRestart(local: PlatformConnection): Promise<void> {
  const restart = vscode.l10n.t('Restart Server');
  const showLog = vscode.l10n.t('Show Log');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('The local server is not responding. Runs continue when it answers again.'),
    restart,
    showLog,
  );
  if (chosen === showLog) await vscode.commands.executeCommand('agentHarbor.showLog');
  // The server may respond again by now.
  if (chosen === restart && local.state.status === 'silent')
    await vscode.commands.executeCommand('agentHarbor.restartServer');
}
