import * as vscode from 'vscode';
import type { ConnectionState, PlatformConnection } from '../connections/connection.ts';
import { keyOnPlatform } from '../deployments/deployment-key.ts';
import { sentenceOf } from '../dialogs/errors.ts';
import { joinParts } from '../wording/format.ts';
import type { ConnectionRow, RevisionRows } from './connection-row.ts';
import { listPlatformDeployments } from './platform-deployments.ts';
import type { TreeElement } from './tree.ts';

/**
 * The row of a platform, which expands into its deployments. A single agent server is itself a deployment.
 */
export class ConnectionElement implements ConnectionRow {
  readonly id: string;
  readonly connection: PlatformConnection;
  readonly getChildren?: () => Promise<readonly TreeElement[]>;
  readonly revisions: RevisionRows;
  readonly #workspace: string | undefined;
  readonly #current: string | undefined;

  /**
   * @param workspace the name of the workspace chosen at sign-in
   * @param current the key of the current deployment
   */
  constructor(
    connection: PlatformConnection,
    workspace: string | undefined,
    current: string | undefined,
    revisions: RevisionRows,
  ) {
    this.connection = connection;
    this.revisions = revisions;
    this.#workspace = workspace;
    this.#current = current;
    const { state, isAgentServerOnly } = connection;
    if (state.status === 'ready' && !isAgentServerOnly) {
      const { client } = state;
      this.getChildren = () => listPlatformDeployments(client, this, current);
    }
    // VS Code keeps a row collapsed that had no children at first, so the row gets another ID once it can
    // have children.
    this.id = `connection:${connection.id}${this.getChildren === undefined ? '' : ':ready'}`;
  }

  getTreeItem(): vscode.TreeItem {
    const { label, state, isAgentServerOnly, id } = this.connection;
    const { None, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(label, this.getChildren === undefined ? None : Expanded);
    const isCurrent = isAgentServerOnly && this.#current === keyOnPlatform(id, undefined);
    const stated = stateText(state);
    // Alone, a workspace name such as Local would read as if it meant this machine.
    const workspace = this.#workspace && vscode.l10n.t('workspace {0}', this.#workspace);
    item.description = joinParts(stated, workspace, isCurrent ? vscode.l10n.t('current') : undefined);
    item.iconPath = this.#icon();
    item.tooltip =
      'error' in state ? `${label}: ${sentenceOf(state.error)}` : joinParts(label, this.#workspace);
    item.contextValue = this.#contextValue();
    item.accessibilityInformation = { label: joinParts(label, stated, workspace) };
    const action = clickAction(this.connection);
    if (action !== undefined) item.command = action;
    return item;
  }

  #contextValue(): string {
    const { place, state, isAgentServerOnly, hasKey } = this.connection;
    if (place === 'local') return 'localConnection';
    const kind = state.status === 'ready' && isAgentServerOnly ? 'agentServer' : state.status;
    return `connection.${kind}${hasKey ? '.keyed' : ''}`;
  }

  #icon(): vscode.ThemeIcon {
    const { state, place, isAgentServerOnly } = this.connection;
    const warning = new vscode.ThemeColor('problemsWarningIcon.foreground');
    switch (state.status) {
      case 'starting':
        return new vscode.ThemeIcon('loading~spin');
      case 'signed-out':
        return new vscode.ThemeIcon('key');
      case 'expired':
        return new vscode.ThemeIcon('key', warning);
      case 'offline':
        return new vscode.ThemeIcon('debug-disconnect', warning);
      case 'silent':
        return new vscode.ThemeIcon('warning', warning);
      case 'failed':
        return new vscode.ThemeIcon('error', new vscode.ThemeColor('problemsErrorIcon.foreground'));
      case 'stopped':
        return new vscode.ThemeIcon('circle-outline');
      case 'ready':
        if (place === 'local') return new vscode.ThemeIcon('device-desktop');
        return new vscode.ThemeIcon(isAgentServerOnly ? 'plug' : 'cloud');
    }
  }
}

function stateText({ status }: ConnectionState): string | undefined {
  switch (status) {
    case 'starting':
      return vscode.l10n.t('connecting…');
    case 'signed-out':
      return vscode.l10n.t('signed out');
    case 'expired':
      return vscode.l10n.t('key not accepted');
    case 'offline':
      return vscode.l10n.t('offline');
    case 'silent':
      return vscode.l10n.t('not responding');
    case 'failed':
      return vscode.l10n.t('failed');
    case 'stopped':
      return vscode.l10n.t('stopped');
    case 'ready':
      return undefined;
  }
}

/** The action of a click on the row of a connection that is not ready. */
function clickAction({ id, place, state: { status } }: PlatformConnection): vscode.Command | undefined {
  if (place === 'local' && status === 'silent')
    return { command: 'agentHarbor.restartServer', title: vscode.l10n.t('Restart Server') };
  if (place === 'local')
    return status === 'stopped' || status === 'failed'
      ? { command: 'agentHarbor.startServer', title: vscode.l10n.t('Start Server') }
      : undefined;
  switch (status) {
    case 'signed-out':
    case 'expired':
      return { command: 'agentHarbor.signIn', title: vscode.l10n.t('Sign In'), arguments: [id] };
    case 'offline':
      return { command: 'agentHarbor.reconnect', title: vscode.l10n.t('Reconnect'), arguments: [id] };
    default:
      return undefined;
  }
}
