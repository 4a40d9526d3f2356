import path from 'node:path';
import * as vscode from 'vscode';
import { isInside } from '../../project/paths.ts';
import { ActionableError } from '../dialogs/errors.ts';

/** A `langgraph.json` of an open folder. */
export interface Config {
  readonly uri: vscode.Uri;
  /**
   * The label: the name of the open folder or, if the file is nested, the path of its folder in the open
   * folder.
   */
  readonly name: string;
}

const PATTERN = '**/langgraph.json';
/** Folders without files of the user's own. */
export const EXCLUDED_FOLDERS = '**/{node_modules,.git,.venv,venv,dist,build}/**';
/** The maximum number of files that are found; others are ignored. */
const MAX_CONFIGS = 1000;

/** The `langgraph.json` files of all open folders on this machine's disk, nearest to the root first. */
export class FolderConfigs implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #watcher: vscode.Disposable;
  #configs: Promise<readonly Config[]> | undefined;

  constructor() {
    const watcher = vscode.workspace.createFileSystemWatcher(PATTERN, false, true, false);
    const rescan = () => this.rescan();
    this.#watcher = vscode.Disposable.from(
      watcher,
      watcher.onDidCreate(rescan),
      watcher.onDidDelete(rescan),
      vscode.workspace.onDidChangeWorkspaceFolders(rescan),
    );
  }

  /** Fires when a `langgraph.json` or an open folder was added or removed. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  list(): Promise<readonly Config[]> {
    const configs = this.#configs ?? findConfigs();
    this.#configs = configs;
    // The caller gets the error, and the next one searches again.
    configs.catch(() => {
      if (this.#configs === configs) this.#configs = undefined;
    });
    return configs;
  }

  /**
   * Scans again. Call this after creating a `langgraph.json`, because the watcher may report the file later.
   */
  rescan(): void {
    this.#configs = undefined;
    this.#changed.fire();
  }

  dispose(): void {
    this.#watcher.dispose();
    this.#changed.dispose();
  }
}

/** The `langgraph.json` in the nearest folder above a file. */
export function nearestConfig(configs: readonly Config[], file: vscode.Uri): Config | undefined {
  const above = configs.filter(({ uri }) => isInside(path.dirname(uri.fsPath), file.fsPath));
  return above.toSorted((a, b) => b.uri.fsPath.length - a.uri.fsPath.length)[0];
}

/** A config as an item of a quick pick. */
export function configItem(config: Config): vscode.QuickPickItem & { readonly config: Config } {
  return { label: config.name, description: vscode.workspace.asRelativePath(config.uri), config };
}

/** The error of an action that needs a `langgraph.json` when there is none. */
export function noConfigError(): ActionableError {
  return new ActionableError(vscode.l10n.t('No langgraph.json was found in the open folder.'), [
    { title: vscode.l10n.t('Create langgraph.json'), command: 'agentHarbor.createConfig' },
  ]);
}

async function findConfigs(): Promise<readonly Config[]> {
  const uris = await vscode.workspace.findFiles(PATTERN, EXCLUDED_FOLDERS, MAX_CONFIGS);
  return uris
    .filter((uri) => uri.scheme === 'file')
    .map((uri) => ({ uri, name: nameOf(uri) }))
    .sort((a, b) => depth(a.uri) - depth(b.uri) || a.uri.path.localeCompare(b.uri.path));
}

function nameOf(uri: vscode.Uri): string {
  const folder = vscode.Uri.joinPath(uri, '..');
  const root = vscode.workspace.getWorkspaceFolder(uri);
  if (root === undefined) return folder.path.split('/').at(-1) ?? folder.path;
  const inside = folder.path.slice(root.uri.path.length).replace(/^\//, '');
  if (inside === '') return root.name;
  const isOnlyRoot = vscode.workspace.workspaceFolders?.length === 1;
  return isOnlyRoot ? inside : `${root.name}/${inside}`;
}

function depth(uri: vscode.Uri): number {
  return uri.path.split('/').length;
}
