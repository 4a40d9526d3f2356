import * as vscode from 'vscode';
import { DATASET_ENDING } from '../../evaluation/dataset-file.ts';
import type { Config } from '../deployments/configs.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import { GraphLoads } from './graph-loads.ts';

/** Finds graphs of this window that are older than their saved sources, and graphs that were loaded again. */
export class SavedSources implements vscode.Disposable {
  readonly #folders: FolderDeployments;
  readonly #subscription: vscode.Disposable;
  readonly #loads = new GraphLoads();

  constructor(folders: FolderDeployments) {
    this.#folders = folders;
    this.#subscription = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (!uri.path.endsWith(DATASET_ENDING)) this.#loads.noteSaved(uri.fsPath);
    });
  }

  /** Whether a file in the folder of a langgraph.json was saved since its graphs were loaded. */
  hasNewerSources({ uri }: Config): boolean {
    return this.#loads.hasNewerSources(uri.fsPath);
  }

  /** Finds the langgraph.json files whose graphs were loaded since the last call. */
  async takeReloaded(): Promise<string[]> {
    const all = await this.#folders.list();
    return this.#loads.takeReloaded(
      all.map(({ config, state }) => {
        const runtime = state.status === 'open' ? state.live.runtime : undefined;
        return {
          config: config.uri.fsPath,
          loadId: runtime?.state === 'ready' ? runtime.load_id : undefined,
          isLoading: runtime?.state === 'starting',
        };
      }),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
