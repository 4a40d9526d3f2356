import * as vscode from 'vscode';
import type { PlatformConnection } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import type { FolderConfigs } from '../deployments/configs.ts';
import type { CurrentDeployment, Deployments } from '../deployments/deployments.ts';
import type { FolderDeployment } from '../deployments/folder-deployments.ts';
import { firstGraphError } from '../deployments/graph-error.ts';
import { sentenceOf } from '../dialogs/errors.ts';
import type { PackageInstaller } from '../projects/package-installer.ts';

/** The content of the item. */
interface Look {
  readonly icon: string;
  readonly text: string;
  readonly tooltip: string;
  readonly background?: 'statusBarItem.errorBackground' | 'statusBarItem.warningBackground';
}

interface StatusBarParts {
  readonly configs: FolderConfigs;
  readonly connections: Connections;
  readonly deployments: Deployments;
  readonly installer: PackageInstaller;
}

/** The status bar item: state of the server and the current deployment. A click shows the actions. */
export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #subscriptions: vscode.Disposable;

  constructor({ configs, connections, deployments, installer }: StatusBarParts) {
    this.#item = vscode.window.createStatusBarItem('agentHarbor.status', vscode.StatusBarAlignment.Left, 10);
    this.#item.name = 'Agent Harbor';
    this.#item.command = 'agentHarbor.showActions';
    const update = async (): Promise<void> => {
      const hasConfig = (await configs.list()).length > 0;
      const current = await deployments.current();
      if (!hasConfig && current === undefined && connections.local.state.status === 'stopped') {
        this.#item.hide();
        return;
      }
      this.#show(installingLook(installer, current) ?? lookOf(connections.local, current));
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#item,
      connections.onDidChange(update),
      // This also fires when the configs of the open folders change.
      deployments.onDidChange(update),
      installer.onDidChange(update),
      vscode.workspace.onDidGrantWorkspaceTrust(update),
    );
    void update();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #show({ icon, text, tooltip, background }: Look): void {
    this.#item.text = `$(${icon}) ${text}`;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: `Agent Harbor: ${tooltip}` };
    this.#item.backgroundColor = background && new vscode.ThemeColor(background);
    this.#item.show();
  }
}

/** The look while packages are installed: that graphs fail to load without them is not worth a warning. */
function installingLook(
  installer: PackageInstaller,
  current: CurrentDeployment | undefined,
): Look | undefined {
  if (current?.in !== 'folder') return undefined;
  const { name, uri } = current.deployment.config;
  if (!installer.isInstalling(uri.fsPath)) return undefined;
  const tooltip = vscode.l10n.t('Installing the dependencies of {0}…', name);
  return { icon: 'loading~spin', text: name, tooltip };
}

function lookOf({ state }: PlatformConnection, current: CurrentDeployment | undefined): Look {
  if (current?.in === 'platform') return lookOnPlatform(current);
  const text = 'Agent Harbor';
  if (!vscode.workspace.isTrusted) {
    return { icon: 'shield', text, tooltip: vscode.l10n.t('Agents do not run in Restricted Mode.') };
  }
  switch (state.status) {
    case 'stopped':
      return { icon: 'debug-disconnect', text, tooltip: vscode.l10n.t('The local server is stopped.') };
    case 'starting': {
      const tooltip = state.reason ?? vscode.l10n.t('The local server is starting.');
      return { icon: 'loading~spin', text, tooltip };
    }
    case 'silent':
      return {
        icon: 'warning',
        text,
        tooltip: state.error.message,
        background: 'statusBarItem.warningBackground',
      };
    case 'failed':
      return {
        icon: 'error',
        text,
        tooltip: state.error.message,
        background: 'statusBarItem.errorBackground',
      };
    case 'ready':
      return lookOfDeployment(current?.deployment);
    default:
      // The local server has no other states.
      return { icon: 'server-environment', text, tooltip: text };
  }
}

/**
 * The look of a deployment on a platform. It does not depend on Restricted Mode, because nothing in the
 * folder runs.
 */
function lookOnPlatform({ name, connection }: CurrentDeployment & { readonly in: 'platform' }): Look {
  const { label, state } = connection;
  const text = name;
  const warning = (tooltip: string): Look => ({
    icon: 'cloud',
    text,
    tooltip,
    background: 'statusBarItem.warningBackground',
  });
  switch (state.status) {
    case 'ready':
      return {
        icon: connection.place === 'local' ? 'device-desktop' : 'cloud',
        text,
        tooltip: vscode.l10n.t('{0} on {1}', name, label),
      };
    case 'starting':
    case 'stopped':
      return { icon: 'loading~spin', text, tooltip: vscode.l10n.t('Connecting to {0}.', label) };
    case 'signed-out':
      return warning(vscode.l10n.t('You are signed out of {0}.', label));
    case 'expired':
    case 'offline':
    case 'silent':
    case 'failed':
      return warning(`${label}: ${sentenceOf(state.error)}`);
  }
}

function lookOfDeployment(selected: FolderDeployment | undefined): Look {
  if (selected === undefined) {
    return {
      icon: 'server-environment',
      text: 'Agent Harbor',
      tooltip: vscode.l10n.t('The local server is running.'),
    };
  }
  const text = selected.config.name;
  const { state } = selected;
  const failed = (message: string): Look => ({
    icon: 'warning',
    text,
    tooltip: message,
    background: 'statusBarItem.warningBackground',
  });
  if (state.status === 'closed')
    return { icon: 'circle-outline', text, tooltip: vscode.l10n.t('{0} is not served yet.', text) };
  if (state.status === 'refused') return failed(state.message);
  if (state.status !== 'open')
    return { icon: 'loading~spin', text, tooltip: vscode.l10n.t('Loading graphs…') };
  const { runtime } = state.live;
  switch (runtime.state) {
    case 'failed':
      return failed(runtime.message);
    case 'starting':
      return { icon: 'loading~spin', text, tooltip: vscode.l10n.t('Loading graphs…') };
    case 'stopped':
      return { icon: 'circle-slash', text, tooltip: vscode.l10n.t('{0} is not being served.', text) };
    case 'ready': {
      const error = firstGraphError(runtime);
      if (error !== undefined) return failed(error);
      const served = vscode.l10n.t('{0} is served at {1}.', text, state.live.deployment_url);
      return { icon: 'server-environment', text, tooltip: served };
    }
  }
}
