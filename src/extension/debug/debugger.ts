import * as vscode from 'vscode';
import type { Config } from '../configs.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import type { ErrorReporter } from '../errors.ts';
import type { HarborDebugAdapter } from './debug-adapter.ts';
import { configNear, DebugConfigurations, debugConfiguration } from './debug-configurations.ts';
import { DEBUG_TYPE, placeOfSession, portOf } from './debug-type.ts';

/** The context that the key F5 asks for: the editor in front shows a source of a project, and no launch.json is chosen. */
const SOURCE_KEY = 'agentHarbor.isProjectSource';
const SOURCES = /\.(?:[cm]?[jt]s|[jt]sx|py)$/;

/** The debugger of live deployments: VS Code's own, attached to what is served already. */
export class Debugger implements vscode.Disposable {
  readonly #deployments: FolderDeployments;
  readonly #adapters = new Map<string, { readonly config: string; readonly adapter: HarborDebugAdapter }>();
  readonly #subscriptions: vscode.Disposable;

  constructor(deployments: FolderDeployments, errors: ErrorReporter) {
    this.#deployments = deployments;
    const provider = new DebugConfigurations(deployments, errors);
    const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
    const follow = () => void this.#followEditor();
    this.#subscriptions = vscode.Disposable.from(
      vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, provider),
      vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, provider, Dynamic),
      vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, {
        createDebugAdapterDescriptor: async (session) => {
          const port = portOf(session);
          if (port !== undefined) return new vscode.DebugAdapterServer(port, '127.0.0.1');
          const { HarborDebugAdapter } = await import('./debug-adapter.ts');
          const adapter = new HarborDebugAdapter({ session, deployments, errors });
          this.#adapters.set(session.id, { config: String(session.configuration.config), adapter });
          return new vscode.DebugAdapterInlineImplementation(adapter);
        },
      }),
      vscode.debug.registerDebugAdapterTrackerFactory('*', {
        createDebugAdapterTracker: (session) => {
          const root = placeOfSession(session)?.root;
          return root && this.#adapters.get(root.id)?.adapter.track(session);
        },
      }),
      vscode.debug.onDidTerminateDebugSession(({ id }) => this.#adapters.delete(id)),
      vscode.window.onDidChangeActiveTextEditor(follow),
      deployments.onDidChange(follow),
    );
    follow();
  }

  /** Attaches to a deployment, unless that is so already. */
  async attach(config: Config): Promise<void> {
    if (this.#find(config.uri.fsPath) !== undefined) return;
    await vscode.debug.startDebugging(
      vscode.workspace.getWorkspaceFolder(config.uri),
      debugConfiguration(config),
    );
  }

  /** Lets a deployment that is held continue. */
  async resume(configPath: string): Promise<void> {
    await this.#find(configPath)?.resume();
  }

  /** The langgraph.json of what the editor in front shows, else the selected one. */
  async configInFront(): Promise<Config | undefined> {
    const near = await configNear(this.#deployments, vscode.window.activeTextEditor?.document.uri);
    return near ?? (await this.#deployments.selected())?.config;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #find(configPath: string): HarborDebugAdapter | undefined {
    return [...this.#adapters.values()].find(({ config }) => config === configPath)?.adapter;
  }

  async #followEditor(): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const isSource =
      vscode.workspace.isTrusted &&
      SOURCES.test(uri?.path ?? '') &&
      (await configNear(this.#deployments, uri)) !== undefined;
    await vscode.commands.executeCommand('setContext', SOURCE_KEY, isSource);
  }
}
