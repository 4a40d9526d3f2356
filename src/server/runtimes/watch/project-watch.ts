import path from 'node:path';
import { PackageWatcher } from './package-watcher.ts';
import { SourceWatcher } from './source-watcher.ts';

/** Lockfiles are ignored: they are written during an installation, and installed packages are watched separately. */
const LOCKFILE = /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|.+\.lock)$/;

/** Watches the sources of a project, its env file, and its packages. */
export class ProjectWatch {
  readonly #onChange: (files: readonly string[]) => void;
  #watcher: SourceWatcher | undefined;
  #packages: Promise<PackageWatcher> | undefined;
  #watched = '';

  constructor(onChange: (files: readonly string[]) => void) {
    this.#onChange = onChange;
  }

  /** Starts watching. Does nothing when the same files are already watched. */
  watch(configPath: string, envFile: string | undefined): void {
    const extra = [configPath, ...(envFile === undefined ? [] : [envFile])];
    const key = extra.join('\n');
    if (key === this.#watched) return;
    void this.#watcher?.close();
    this.#watched = key;
    const dir = path.dirname(configPath);
    this.#watcher = new SourceWatcher(dir, extra, (files) => {
      const sources = files.filter((file) => !LOCKFILE.test(path.basename(file)));
      if (sources.length > 0) this.#onChange(sources);
    });
    this.#packages ??= PackageWatcher.open(dir, this.#onChange);
  }

  /** Also watches the packages of a Python environment. @param file its interpreter. */
  async includePython(file: string): Promise<void> {
    await (await this.#packages)?.include(path.dirname(path.dirname(file)));
  }

  async close(): Promise<void> {
    const [watcher, packages] = [this.#watcher, this.#packages];
    this.#watcher = undefined;
    this.#packages = undefined;
    this.#watched = '';
    await watcher?.close();
    (await packages)?.close();
  }
}
