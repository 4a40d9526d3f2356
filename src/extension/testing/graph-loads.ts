import path from 'node:path';
import { isInside } from '../../project/paths.ts';

/** The graphs of a project, as far as a window knows. */
export interface GraphLoad {
  /** Path of its langgraph.json. */
  readonly config: string;
  /** The ID of the load that serves; undefined while none does. */
  readonly loadId: string | undefined;
}

/** Which graphs are older than their sources, and which were loaded again. */
export class GraphLoads {
  /** The files that were saved, each with its place in the order of saves. */
  readonly #saved = new Map<string, number>();
  /** By langgraph.json: the load that was seen last, and how many saves there had been before it. */
  readonly #loaded = new Map<string, { readonly id: string; readonly saves: number }>();
  /** By langgraph.json that was seen without graphs: how many saves there had been. */
  readonly #waiting = new Map<string, number>();
  #saves = 0;

  noteSaved(file: string): void {
    this.#saved.set(file, ++this.#saves);
  }

  /** Whether a file in the folder of a langgraph.json was saved since its graphs were loaded. */
  areNewer(config: string): boolean {
    const folder = path.dirname(config);
    const since = this.#loaded.get(config)?.saves ?? 0;
    return [...this.#saved].some(([file, save]) => isInside(folder, file) && save > since);
  }

  /** The langgraph.json files whose graphs were loaded since this was called last. */
  takeReloaded(loads: readonly GraphLoad[]): string[] {
    const reloaded: string[] = [];
    for (const { config, loadId } of loads) {
      if (loadId === undefined) this.#waiting.set(config, this.#saves);
      else if (this.#loaded.get(config)?.id !== loadId) {
        this.#loaded.set(config, { id: loadId, saves: this.#waiting.get(config) ?? this.#saves });
        this.#waiting.delete(config);
        reloaded.push(config);
      }
    }
    return reloaded;
  }
}
