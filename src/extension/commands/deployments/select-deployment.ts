import * as vscode from 'vscode';
import type { PlatformConnection } from '../../connections/connection.ts';
import type { Connections } from '../../connections/connections.ts';
import type { FolderConfigs } from '../../deployments/configs.ts';
import type { DeploymentOnPlatform, Deployments } from '../../deployments/deployments.ts';
import { choose } from '../../dialogs/steps.ts';
import { ConnectionElement } from '../../views/connections.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import { listShownDeployments, PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import type { Command } from '../command.ts';

interface SelectDeploymentParts {
  readonly configs: FolderConfigs;
  readonly connections: Connections;
  readonly deployments: Deployments;
}

type Selection =
  | { readonly kind: 'folder'; readonly configPath: string }
  | { readonly kind: 'platform'; readonly deployment: DeploymentOnPlatform }
  /** A command to run instead, such as Add Connection. */
  | { readonly kind: 'command'; readonly command: string; readonly arguments: readonly unknown[] };

/** Selects the deployment that the views show and new runs use, and opens it. */
export const selectDeployment: Command<SelectDeploymentParts> = async (parts, argument) => {
  const { deployments } = parts;
  const selection = selectionOf(argument) ?? (await ask(parts));
  if (selection === undefined) return;
  switch (selection.kind) {
    case 'folder':
      await deployments.selectInFolder(selection.configPath);
      break;
    case 'platform':
      await deployments.selectOnPlatform(selection.deployment);
      break;
    case 'command':
      await vscode.commands.executeCommand(selection.command, ...selection.arguments);
      return;
  }
  await deployments.open();
};

function selectionOf(argument: unknown): Selection | undefined {
  if (argument instanceof DeploymentElement)
    return { kind: 'folder', configPath: argument.config.uri.fsPath };
  if (argument instanceof PlatformDeploymentElement) return { kind: 'platform', deployment: argument };
  if (argument instanceof ConnectionElement && argument.connection.isAgentServerOnly)
    return selectAgentServer(argument.connection);
  return undefined;
}

/** Selects the only deployment of an Agent Server connection, which has no ID. */
function selectAgentServer(connection: PlatformConnection): Selection {
  return { kind: 'platform', deployment: { connection, deploymentId: undefined, name: connection.label } };
}

interface Item extends vscode.QuickPickItem {
  readonly selection?: Selection;
}

async function ask(parts: SelectDeploymentParts): Promise<Selection | undefined> {
  const answer = await choose({
    title: vscode.l10n.t('Select Deployment'),
    canGoBack: false,
    placeholder: vscode.l10n.t('Select the deployment to show in the views'),
    items: listItems(parts),
  });
  return answer.kind === 'answered' ? answer.value.selection : undefined;
}

async function listItems({ configs, connections, deployments }: SelectDeploymentParts): Promise<Item[]> {
  const configsInFolders = vscode.workspace.isTrusted ? await configs.list() : [];
  const current = (await deployments.current())?.key;
  const inFolders = configsInFolders.map(
    ({ uri, name }): Item => ({
      label: name,
      iconPath: new vscode.ThemeIcon(uri.fsPath === current ? 'check' : 'server-environment'),
      description: vscode.workspace.asRelativePath(uri),
      selection: { kind: 'folder', configPath: uri.fsPath },
    }),
  );
  const ofPlatforms = await Promise.all([connections.local, ...connections.remotes].map(listOnPlatform));
  const add: Item = {
    label: vscode.l10n.t('Add Connection…'),
    iconPath: new vscode.ThemeIcon('add'),
    selection: { kind: 'command', command: 'agentHarbor.addConnection', arguments: [] },
  };
  return [...inFolders, ...ofPlatforms.flat(), separatorOf(''), add];
}

/**
 * Lists the deployments of a platform below its name, or the item to sign in. A platform that is not
 * connected has no items.
 */
async function listOnPlatform(connection: PlatformConnection): Promise<Item[]> {
  const { state, label, id, isAgentServerOnly } = connection;
  if (isAgentServerOnly) {
    const iconPath = new vscode.ThemeIcon('plug');
    return [separatorOf(label), { label, iconPath, selection: selectAgentServer(connection) }];
  }
  if (state.status === 'signed-out' || state.status === 'expired') {
    const title = vscode.l10n.t('Sign In to {0}', label);
    const selection: Selection = { kind: 'command', command: 'agentHarbor.signIn', arguments: [id] };
    return [separatorOf(label), { label: title, iconPath: new vscode.ThemeIcon('key'), selection }];
  }
  if (state.status !== 'ready') return [];
  // A platform that does not answer must not hide the deployments of others.
  const found = await listShownDeployments(state.client, connection).catch(() => []);
  const items = found.map(
    ({ id: deploymentId, name, source_config }): Item => ({
      label: name,
      iconPath: new vscode.ThemeIcon('cloud'),
      description: source_config.deployment_type ?? '',
      selection: { kind: 'platform', deployment: { connection, deploymentId, name } },
    }),
  );
  return items.length === 0 ? [] : [separatorOf(label), ...items];
}

function separatorOf(label: string): Item {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
