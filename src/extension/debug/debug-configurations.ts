import path from 'node:path';
import * as vscode from 'vscode';
import { type Config, nearestConfig } from '../deployments/configs.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';
import { DEBUG_TYPE, hasProcess } from './debug-type.ts';

/** The name of a configuration that names no langgraph.json. */
const DEFAULT_NAME = 'LangGraph';

/** The configuration with which VS Code attaches to the graphs of a langgraph.json. */
export function debugConfiguration({ uri, name }: Config): vscode.DebugConfiguration {
  return {
    type: DEBUG_TYPE,
    request: 'attach',
    name: vscode.l10n.t('LangGraph: {0}', name),
    config: uri.fsPath,
  };
}

/** Provides configurations without a launch.json, and fills in what a launch.json leaves out. */
export class DebugConfigurations implements vscode.DebugConfigurationProvider {
  readonly #deployments: FolderDeployments;
  readonly #errors: ErrorReporter;

  constructor(deployments: FolderDeployments, errors: ErrorReporter) {
    this.#deployments = deployments;
    this.#errors = errors;
  }

  async provideDebugConfigurations(): Promise<vscode.DebugConfiguration[]> {
    return (await this.#deployments.list()).map(({ config }) => debugConfiguration(config));
  }

  /** Returns undefined, and shows why, when there is nothing to debug. */
  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    given: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (hasProcess(given)) return given;
    try {
      const config = await this.#find(folder, given.config);
      const known = debugConfiguration(config);
      return { ...known, ...given, name: ownNameOf(given) ?? known.name, config: config.uri.fsPath };
    } catch (error) {
      void this.#errors.report(error, 'debug');
      return undefined;
    }
  }

  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    given: vscode.DebugConfiguration,
  ): vscode.DebugConfiguration {
    // Without a launch.json, VS Code passes an empty configuration.
    return given.type === '' || given.type === undefined
      ? { type: DEBUG_TYPE, request: 'attach', name: DEFAULT_NAME }
      : given;
  }

  async #find(folder: vscode.WorkspaceFolder | undefined, wanted: unknown): Promise<Config> {
    if (typeof wanted !== 'string') {
      const config = await findConfigNear(this.#deployments, vscode.window.activeTextEditor?.document.uri);
      // Without a langgraph.json, `open` throws an error that says what to do.
      return config ?? (await this.#deployments.open()).config;
    }
    const file = path.resolve(folder?.uri.fsPath ?? '', wanted);
    const config = await this.#deployments.find(file);
    if (config === undefined) throw new Error(vscode.l10n.t('There is no {0} in the open folder.', file));
    return config;
  }
}

/** The name that a user gave a configuration, if any. */
function ownNameOf({ name }: vscode.DebugConfiguration): string | undefined {
  return typeof name === 'string' && name !== '' && name !== DEFAULT_NAME ? name : undefined;
}

/** The nearest langgraph.json above a file; undefined if there is none. */
export async function findConfigNear(
  deployments: FolderDeployments,
  uri: vscode.Uri | undefined,
): Promise<Config | undefined> {
  if (uri?.scheme !== 'file') return undefined;
  const configs = (await deployments.list()).map(({ config }) => config);
  return nearestConfig(configs, uri);
}
