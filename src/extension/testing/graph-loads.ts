import path from 'node:path';
import { isInside } from '../../project/paths.ts';

/** The graphs that a project serves now. */
interface GraphLoad {
  /** Path of its langgraph.json. */
  readonly config: string;
  /** Changes with each load of the graphs; undefined while they are not loaded. */
  readonly loadId: string | undefined;
  /** Whether the graphs are being loaded. */
  readonly isLoading: boolean;
}

/**
 * Finds graphs that are older than their sources, and graphs that were loaded again. Saves are numbered, so
 * that saves and loads can be ordered without a clock.
 */
export class GraphLoads {
  #lastSave = 0;
  /** The number of the last save of each file. */
  readonly #saved = new Map<string, number>();
  /** The last load of each langgraph.json, and the last save that this load certainly includes. */
  readonly #loaded = new Map<string, { readonly id: string; readonly upToSave: number }>();
  /**
   * By langgraph.json, while its graphs are not loaded: the last save that the next load certainly includes.
   * Once a load has begun, it may have read its files already.
   */
  readonly #unloaded = new Map<string, { readonly upToSave: number; readonly isLoading: boolean }>();

  noteSaved(file: string): void {
    this.#saved.set(file, ++this.#lastSave);
  }

  /** Whether a file in the folder of a langgraph.json was saved since its graphs were loaded. */
  hasNewerSources(config: string): boolean {
    const folder = path.dirname(config);
    const upToSave = this.#loaded.get(config)?.upToSave ?? 0;
    return [...this.#saved].some(([file, save]) => isInside(folder, file) && save > upToSave);
  }

  /**
   * Finds the langgraph.json files whose graphs were loaded since the last call.
   * @param loads the graphs of all projects, as they are now.
   */
  takeReloaded(loads: readonly GraphLoad[]): string[] {
    const reloaded: string[] = [];
    for (const { config, loadId, isLoading } of loads) {
      if (loadId === undefined) this.#noteUnloaded(config, isLoading);
      else if (this.#loaded.get(config)?.id !== loadId) {
        const upToSave = this.#unloaded.get(config)?.upToSave ?? this.#lastSave;
        this.#loaded.set(config, { id: loadId, upToSave });
        this.#unloaded.delete(config);
        reloaded.push(config);
      }
    }
    return reloaded;
  }

  #noteUnloaded(config: string, isLoading: boolean): void {
    if (isLoading && this.#unloaded.get(config)?.isLoading) return;
    this.#unloaded.set(config, { upToSave: this.#lastSave, isLoading });
  }
}
