import * as vscode from 'vscode';
import type { SourceLocation } from '../../contract/harbor.ts';
import type { Config } from '../deployments/configs.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';
import { GraphSources } from '../graphs/graph-sources.ts';
import type { HarborDebugAdapter } from './debug-adapter.ts';
import { DebugConfigurations, debugConfiguration, findConfigNear } from './debug-configurations.ts';
import { DEBUG_TYPE, portOf, processOfSession } from './debug-type.ts';

/** The files with launch configurations. */
const LAUNCH_FILES = [{ pattern: '**/.vscode/launch.json' }, { pattern: '**/*.code-workspace' }];

/** Debugs live deployments: attaches VS Code's debuggers to their running processes. */
export class Debugger implements vscode.Disposable {
  readonly #deployments: FolderDeployments;
  readonly #adapters = new Map<string, { readonly config: string; readonly adapter: HarborDebugAdapter }>();
  readonly #sources = new GraphSources();
  readonly #subscriptions: vscode.Disposable;

  constructor(deployments: FolderDeployments, errors: ErrorReporter) {
    this.#deployments = deployments;
    const provider = new DebugConfigurations(deployments, errors);
    const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
    this.#subscriptions = vscode.Disposable.from(
      vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, provider),
      vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, provider, Dynamic),
      vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, {
        createDebugAdapterDescriptor: async (session) => {
          const port = portOf(session);
          if (port !== undefined) return new vscode.DebugAdapterServer(port, '127.0.0.1');
          const { HarborDebugAdapter } = await import('./debug-adapter.ts');
          const adapter = new HarborDebugAdapter({ session, deployments, errors });
          errors.watch(this.#begin(session, adapter), 'debug');
          this.#adapters.set(session.id, { config: String(session.configuration.config), adapter });
          return new vscode.DebugAdapterInlineImplementation(adapter);
        },
      }),
      vscode.debug.registerDebugAdapterTrackerFactory('*', {
        createDebugAdapterTracker: (session) => {
          const root = processOfSession(session)?.root;
          return root && this.#adapters.get(root.id)?.adapter.track(session);
        },
      }),
      vscode.languages.registerCompletionItemProvider(
        LAUNCH_FILES,
        {
          provideCompletionItems: async (document, position) => {
            const { completeLaunch } = await import('./launch-completion.ts');
            const configs = (await deployments.list()).map(({ config }) => config);
            return completeLaunch(document, position, configs);
          },
        },
        '"',
      ),
      vscode.debug.onDidTerminateDebugSession(({ id }) => this.#adapters.delete(id)),
    );
  }

  /** Whether a deployment of a folder is debugged in this window. */
  isAttached(configPath: string): boolean {
    return this.#find(configPath) !== undefined;
  }

  /** Attaches to a deployment, unless already attached. */
  async attach(config: Config): Promise<void> {
    if (this.isAttached(config.uri.fsPath)) return;
    await vscode.debug.startDebugging(
      vscode.workspace.getWorkspaceFolder(config.uri),
      debugConfiguration(config),
    );
  }

  /**
   * Attaches to a deployment unless already attached, and makes its debugger stop when one of these
   * functions is called.
   * @returns a disposable that removes the stop; undefined if the debugger could not be started, which has
   *   been reported
   */
  async stopAtEntry(
    config: Config,
    places: readonly SourceLocation[],
  ): Promise<vscode.Disposable | undefined> {
    await this.attach(config);
    const adapter = this.#find(config.uri.fsPath);
    return adapter && stopOnce(adapter, places);
  }

  /** Continues a deployment whose processes the debugger holds. */
  async resume(configPath: string): Promise<void> {
    await this.#find(configPath)?.resume();
  }

  /** The langgraph.json of the source in the active editor. */
  findConfigOfSource(): Promise<Config | undefined> {
    return findConfigNear(this.#deployments, vscode.window.activeTextEditor?.document.uri);
  }

  /** The langgraph.json of the source in the active editor, or else the selected one. */
  async findConfigInFront(): Promise<Config | undefined> {
    return (await this.findConfigOfSource()) ?? (await this.#deployments.findSelected())?.config;
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
    const { locateFirstNodes } = await import('./first-nodes.ts');
    const opened = await this.#deployments.openLoaded(await this.#deployments.find(String(config)));
    const places = await locateFirstNodes(
      opened,
      this.#sources,
      typeof graph === 'string' ? graph : undefined,
    );
    await stopOnce(adapter, places);
  }

  #find(configPath: string): HarborDebugAdapter | undefined {
    return [...this.#adapters.values()].find(({ config }) => config === configPath)?.adapter;
  }
}

/** Makes the debugger stop once, at the first call of one of these functions, unless its session ends before. */
async function stopOnce(
  adapter: HarborDebugAdapter,
  places: readonly SourceLocation[],
): Promise<vscode.Disposable> {
  const { stopAt } = await import('./entry-stops.ts');
  const languages = new Set(places.map(({ file }) => (file.endsWith('.py') ? 'python' : 'node')));
  for (const language of languages) await adapter.whenAttached(language);
  const stops = await stopAt(places, () => adapter.sessions);
  const all = vscode.Disposable.from(
    stops,
    adapter.onDidPause(() => all.dispose()),
  );
  // VS Code keeps breakpoints beyond the session.
  if (adapter.ended.aborted) all.dispose();
  else adapter.ended.addEventListener('abort', () => all.dispose(), { once: true });
  return all;
}
