import * as vscode from 'vscode';
import type { ConnectionState } from '../../connections/connection.ts';
import type { Connections } from '../../connections/connections.ts';
import type { FolderConfigs } from '../../deployments/configs.ts';
import type { CurrentDeployment, Deployments } from '../../deployments/deployments.ts';

interface Action extends vscode.QuickPickItem {
  readonly command: string;
  /** Whether the action is offered now. */
  readonly when: boolean;
}

export interface ShowActionsParts {
  readonly connections: Connections;
  readonly configs: FolderConfigs;
  readonly deployments: Deployments;
}

/** Asks which of the actions of the status bar item to run. */
export async function chooseAction({ connections, configs, deployments }: ShowActionsParts): Promise<void> {
  const { status } = connections.local.state;
  const hasProject = (await configs.list()).length > 0;
  const current = await deployments.current();
  const actions = actionsFor({ status, hasProject, current }).filter(({ when }) => when);
  const chosen = await vscode.window.showQuickPick(actions, {
    title: 'Agent Harbor',
    placeHolder:
      current?.in === 'platform'
        ? vscode.l10n.t('{0} on {1}', current.name, current.connection.label)
        : sentenceFor(status),
  });
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
}

interface Situation {
  /** The local server's. */
  readonly status: ConnectionState['status'];
  /** Whether an open folder has a langgraph.json. */
  readonly hasProject: boolean;
  readonly current: CurrentDeployment | undefined;
}

function actionsFor({ status, hasProject, current }: Situation): readonly Action[] {
  const { isTrusted } = vscode.workspace;
  const isRunning = status === 'ready' || status === 'silent';
  return [
    {
      when: !isTrusted,
      label: `$(shield) ${vscode.l10n.t('Manage Workspace Trust')}`,
      command: 'workbench.trust.manage',
    },
    {
      when: current?.in === 'platform' || (isTrusted && hasProject),
      label: `$(play) ${vscode.l10n.t('Run')}`,
      command: 'agentHarbor.run',
    },
    {
      when: true,
      label: `$(layout-sidebar-left) ${vscode.l10n.t('Show Views')}`,
      command: 'workbench.view.extension.agentHarbor',
    },
    {
      when: isTrusted && hasProject,
      label: `$(cloud-upload) ${vscode.l10n.t('Deploy…')}`,
      command: 'agentHarbor.deploy',
    },
    {
      when: true,
      label: `$(target) ${vscode.l10n.t('Select Deployment')}`,
      command: 'agentHarbor.selectDeployment',
    },
    {
      when: status === 'ready' && hasProject,
      label: `$(debug-restart) ${vscode.l10n.t('Reload Graphs')}`,
      command: 'agentHarbor.reloadGraphs',
    },
    {
      when: status === 'ready' && hasProject,
      label: `$(output) ${vscode.l10n.t('Show Deployment Log')}`,
      command: 'agentHarbor.showDeploymentLog',
    },
    {
      when: isTrusted && !isRunning && status !== 'starting',
      label: `$(play-circle) ${vscode.l10n.t('Start Server')}`,
      command: 'agentHarbor.startServer',
    },
    {
      when: isRunning,
      label: `$(sync) ${vscode.l10n.t('Restart Server')}`,
      command: 'agentHarbor.restartServer',
    },
    {
      when: isRunning,
      label: `$(stop-circle) ${vscode.l10n.t('Stop Server')}`,
      command: 'agentHarbor.stopServer',
    },
    {
      when: true,
      label: `$(plug) ${vscode.l10n.t('Add Connection…')}`,
      command: 'agentHarbor.addConnection',
    },
    { when: true, label: `$(output) ${vscode.l10n.t('Show Log')}`, command: 'agentHarbor.showLog' },
  ];
}

function sentenceFor(status: ConnectionState['status']): string {
  switch (status) {
    case 'ready':
      return vscode.l10n.t('The local server is running.');
    case 'starting':
      return vscode.l10n.t('The local server is starting.');
    case 'silent':
      return vscode.l10n.t('The local server is not responding.');
    case 'failed':
      return vscode.l10n.t('The local server could not be started.');
    default:
      return vscode.l10n.t('The local server is stopped.');
  }
}
