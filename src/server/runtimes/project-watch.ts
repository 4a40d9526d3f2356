import path from 'node:path';
import { SourceWatcher } from './source-watcher.ts';

/** Watches the sources of a project, with its env file wherever that is. */
export class ProjectWatch {
  readonly #onChange: (files: readonly string[]) => void;
  #watcher: SourceWatcher | undefined;
  #watched = '';

  constructor(onChange: (files: readonly string[]) => void) {
    this.#onChange = onChange;
  }

  /** Does nothing when the same files are watched already. */
  watch(configPath: string, envFile: string | undefined): void {
    const extra = [configPath, ...(envFile === undefined ? [] : [envFile])];
    const key = extra.join('\n');
    if (key === this.#watched) return;
    void this.#watcher?.close();
    this.#watched = key;
    this.#watcher = new SourceWatcher(path.dirname(configPath), extra, this.#onChange);
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
    this.#watcher = undefined;
    this.#watched = '';
  }
}
