import * as vscode from 'vscode';
import type { WorkspaceConfigs } from './configs.ts';
import type { PlatformConnection } from './connections/connection.ts';

/** Tells VS Code what the `when` clauses of package.json ask for: `agentHarbor.scanned`, `.hasConfig`, `.server`. */
export function keepContextKeys(
  configs: WorkspaceConfigs,
  connection: PlatformConnection,
): vscode.Disposable {
  const set = (key: string, value: unknown) =>
    vscode.commands.executeCommand('setContext', `agentHarbor.${key}`, value);
  const scan = async (): Promise<void> => {
    await set('hasConfig', (await configs.list()).length > 0);
    await set('scanned', true);
  };
  const followServer = () => void set('server', connection.state.status);
  void scan();
  followServer();
  return vscode.Disposable.from(configs.onDidChange(scan), connection.onDidChangeState(followServer));
}
