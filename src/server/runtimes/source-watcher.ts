import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

const SETTLE_MS = 150;
const IGNORED = new Set([
  'node_modules',
  '.git',
  '.venv',
  'venv',
  '__pycache__',
  'dist',
  'build',
  'out',
  '.langgraph_api',
  '.harbor',
  '.cache',
]);
const SOURCES = /\.(?:[cm]?[jt]sx?|json|py|toml|lock|ya?ml|prompt|txt)$/;

/** Calls back when the sources of a project were saved, once a burst of saves has settled. */
export class SourceWatcher {
  readonly #watcher: FSWatcher;
  #timer: NodeJS.Timeout | undefined;

  /** @param also files outside the usual ones that count, such as an env file. */
  constructor(dir: string, also: readonly string[], onChange: (files: string[]) => void) {
    const extra = new Set(also);
    let changed = new Set<string>();
    const saved = new Map<string, string>();
    this.#watcher = watch(dir, {
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (file, stats) => {
        const relative = path.relative(dir, file);
        if (relative.split(path.sep).some((part) => IGNORED.has(part))) return true;
        return stats?.isFile() === true && !SOURCES.test(file) && !extra.has(file);
      },
    });
    this.#watcher.on('all', (event, file, stats) => {
      if (event === 'addDir' || event === 'unlinkDir') return;
      // One save comes as several events, on a busy machine seconds apart: it is loaded once.
      const version = stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
      const known = saved.get(file);
      saved.set(file, version);
      if (event === 'change' && version !== '' && version === known) return;
      changed.add(file);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        const files = [...changed];
        changed = new Set();
        onChange(files);
      }, SETTLE_MS);
    });
    // A folder that cannot be watched (too many files, a network drive) only loses reload on save.
    this.#watcher.on('error', () => {});
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watcher.close();
  }
}
