import type { InitializeParams, ProjectExtras } from '../../protocol/protocol.ts';
import { GraphLoadError } from '../errors/runtime-error.ts';
import { loadExport, parseGraphPath } from '../loading/load-graph.ts';

/** Loads the modules that a project has besides its graphs, such as `auth`; each on first use. */
export class Extras {
  #projectDir = '';
  #paths: ProjectExtras = {};
  readonly #loaded = new Map<keyof ProjectExtras, Promise<unknown>>();

  configure({ project_dir, extras }: InitializeParams): void {
    this.#projectDir = project_dir;
    this.#paths = extras ?? {};
  }

  /**
   * The reference of an extra in langgraph.json, and the folder that it is relative to; undefined if there
   * is none.
   */
  referenceTo(name: keyof ProjectExtras): { place: string; projectDir: string } | undefined {
    const place = this.#paths[name];
    return place === undefined ? undefined : { place, projectDir: this.#projectDir };
  }

  /**
   * Loads the export of an extra.
   * @throws GraphLoadError when langgraph.json has none, or it does not load
   */
  load(name: keyof ProjectExtras): Promise<unknown> {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const path = this.#paths[name];
    if (path === undefined) return Promise.reject(new GraphLoadError(`langgraph.json has no ${name}.`));
    const loading = loadExport(parseGraphPath(this.#projectDir, path));
    this.#loaded.set(name, loading);
    return loading;
  }
}
