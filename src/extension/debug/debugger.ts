import * as vscode from 'vscode';
import type { SourceLocation } from '../../contract/harbor.ts';
import type { Config } from '../configs.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import type { ErrorReporter } from '../errors.ts';
import { GraphSources } from '../panels/graph-sources.ts';
import type { HarborDebugAdapter } from './debug-adapter.ts';
import { configNear, DebugConfigurations, debugConfiguration } from './debug-configurations.ts';
import { DEBUG_TYPE, placeOfSession, portOf } from './debug-type.ts';
import { stopAt } from './entry-stops.ts';
import { firstNodes } from './first-nodes.ts';

/** The context that the key F5 asks for: the editor in front shows a source of a project, and no launch.json is chosen. */
const SOURCE_KEY = 'agentHarbor.isProjectSource';
const SOURCES = /\.(?:[cm]?[jt]s|[jt]sx|py)$/;

/** The debugger of live deployments: VS Code's own, attached to what is served already. */
export class Debugger implements vscode.Disposable {
  readonly #deployments: FolderDeployments;
  readonly #adapters = new Map<string, { readonly config: string; readonly adapter: HarborDebugAdapter }>();
  readonly #sources = new GraphSources();
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
          void this.#begin(session, adapter).catch((error) => errors.report(error, 'debug'));
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

  /**
   * Attaches to a deployment unless that is so already, and has its debugger stop where one of these functions is called.
   * @returns ends it, if no stop has; `undefined` when the debugger could not be started, which was said.
   */
  async stopAtEntry(
    config: Config,
    places: readonly SourceLocation[],
  ): Promise<vscode.Disposable | undefined> {
    await this.attach(config);
    const adapter = this.#find(config.uri.fsPath);
    return adapter && stopOnce(adapter, places);
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

  /** Does what a launch.json asks for besides attaching. */
  async #begin({ configuration }: vscode.DebugSession, adapter: HarborDebugAdapter): Promise<void> {
    const { config, graph, stopOnEntry } = configuration;
    if (typeof graph === 'string') {
      await vscode.commands.executeCommand('agentHarbor.run', { config_path: config, graph_id: graph });
    }
    if (stopOnEntry !== true) return;
    const opened = await this.#deployments.openWhole(await this.#deployments.find(String(config)));
    const places = await firstNodes(opened, this.#sources, typeof graph === 'string' ? graph : undefined);
    await stopOnce(adapter, places);
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

/** Stops at the first call of one of these functions, and never again for it. */
async function stopOnce(
  adapter: HarborDebugAdapter,
  places: readonly SourceLocation[],
): Promise<vscode.Disposable> {
  const languages = new Set(places.map(({ file }) => (file.endsWith('.py') ? 'python' : 'node')));
  for (const language of languages) await adapter.whenAttached(language);
  const stops = await stopAt(places, () => adapter.sessions);
  const subscription = adapter.onDidPause(() => {
    stops.dispose();
    subscription.dispose();
  });
  return vscode.Disposable.from(stops, subscription);
}
