import path from 'node:path';
import * as vscode from 'vscode';
import { isInside } from '../../project/paths.ts';
import type { Config } from '../deployments/configs.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';
import { DEBUG_TYPE, hasProcess } from './debug-type.ts';

/** The configuration with which VS Code attaches to the graphs of a langgraph.json. */
export function debugConfiguration({ uri, name }: Config): vscode.DebugConfiguration {
  return {
    type: DEBUG_TYPE,
    request: 'attach',
    name: vscode.l10n.t('LangGraph: {0}', name),
    config: uri.fsPath,
  };
}

/** Debugs without a launch.json, and fills in what a launch.json leaves out. */
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
      return { ...debugConfiguration(config), ...given, ...ownFields(given), config: config.uri.fsPath };
    } catch (error) {
      void this.#errors.report(error, 'debug');
      return undefined;
    }
  }

  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    given: vscode.DebugConfiguration,
  ): vscode.DebugConfiguration {
    // Without a launch.json VS Code passes no configuration at all.
    return given.type === '' || given.type === undefined
      ? { type: DEBUG_TYPE, request: 'attach', name: 'LangGraph' }
      : given;
  }

  async #find(folder: vscode.WorkspaceFolder | undefined, wanted: unknown): Promise<Config> {
    if (typeof wanted !== 'string') {
      const config = await findConfigNear(this.#deployments, vscode.window.activeTextEditor?.document.uri);
      // Says what is missing, and what to do about it.
      return config ?? (await this.#deployments.open()).config;
    }
    const file = path.resolve(folder?.uri.fsPath ?? '', wanted);
    const config = await this.#deployments.find(file);
    if (config === undefined) throw new Error(vscode.l10n.t('There is no {0} in the open folder.', file));
    return config;
  }
}

/** An empty name counts as none. */
function ownFields({ name }: vscode.DebugConfiguration): { name?: string } {
  return typeof name === 'string' && name !== '' && name !== 'LangGraph' ? { name } : {};
}

/** The langgraph.json that a file belongs to: the nearest one above it. */
export async function findConfigNear(
  deployments: FolderDeployments,
  uri: vscode.Uri | undefined,
): Promise<Config | undefined> {
  if (uri?.scheme !== 'file') return undefined;
  const above = (await deployments.list())
    .map(({ config }) => config)
    .filter((config) => isInside(path.dirname(config.uri.fsPath), uri.fsPath));
  return above.toSorted((a, b) => b.uri.fsPath.length - a.uri.fsPath.length)[0];
}
