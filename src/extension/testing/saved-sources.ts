import path from 'node:path';
import * as vscode from 'vscode';
import type { Config } from '../configs.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';

/** Which graphs are older than their sources, and which were loaded again. */
export class SavedSources implements vscode.Disposable {
  readonly #folders: FolderDeployments;
  readonly #subscription: vscode.Disposable;
  /** The files that were saved, each with its place in the order of saves. */
  readonly #saved = new Map<string, number>();
  /** By langgraph.json whose graphs are loaded: how many saves there had been. */
  readonly #loaded = new Map<string, number>();
  #saves = 0;

  constructor(folders: FolderDeployments) {
    this.#folders = folders;
    this.#subscription = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (!uri.path.endsWith('.dataset.jsonl')) this.#saved.set(uri.fsPath, ++this.#saves);
    });
  }

  /** Whether a file in its folder was saved since a deployment loaded its graphs. */
  areNewer({ uri }: Config): boolean {
    const folder = path.dirname(uri.fsPath) + path.sep;
    const since = this.#loaded.get(uri.fsPath) ?? 0;
    return [...this.#saved].some(([file, save]) => file.startsWith(folder) && save > since);
  }

  /** The langgraph.json files whose graphs were loaded since this was called last. */
  async takeReloaded(): Promise<string[]> {
    const reloaded: string[] = [];
    for (const { config, state } of await this.#folders.list()) {
      const { fsPath } = config.uri;
      const isLoaded = state.status === 'open' && state.live.runtime.state === 'ready';
      if (!isLoaded) this.#loaded.delete(fsPath);
      else if (!this.#loaded.has(fsPath)) {
        this.#loaded.set(fsPath, this.#saves);
        reloaded.push(fsPath);
      }
    }
    return reloaded;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
