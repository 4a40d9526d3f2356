import { statSync } from 'node:fs';
import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

const SETTLE_MS = 150;
/** How often to check whether the folder has been deleted. */
const GONE_MS = 1000;
const IGNORED = new Set([
  'node_modules',
  '.git',
  '.venv',
  'venv',
  'site-packages',
  '__pycache__',
  'dist',
  'build',
  'out',
  '.langgraph_api',
  '.harbor',
  '.cache',
]);
/** Folders that installers write next to the sources of a package. */
const METADATA = /\.(?:egg|dist)-info$/;
const SOURCES = /\.(?:[cm]?[jt]sx?|json|py|toml|lock|ya?ml|prompt|txt)$/;

/** Calls back when sources of a project have changed, once a burst of changes is over. */
export class SourceWatcher {
  readonly #dir: string;
  readonly #extra: ReadonlySet<string>;
  readonly #onChange: (files: string[]) => void;
  #watcher: FSWatcher | undefined;
  /** Identifies the watched folder, because another one may take its name. */
  #watched: string | undefined;
  #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #glance: NodeJS.Timeout | undefined;
  #search: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param also further files to watch, such as an env file. */
  constructor(dir: string, also: readonly string[], onChange: (files: string[]) => void) {
    this.#dir = dir;
    this.#extra = new Set(also);
    this.#onChange = onChange;
    this.#watcher = this.#open();
    // On Windows a watcher is not told about the folder itself, for example when another one takes its name.
    if (process.platform === 'win32') this.#look = setInterval(() => this.#checkFolder(), GONE_MS).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#glance);
    clearInterval(this.#search);
    clearInterval(this.#look);
    await this.#watcher?.close();
  }

  #open(): FSWatcher {
    this.#watched = identityOf(this.#dir);
    const watcher = watch(this.#dir, {
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (file, stats) => {
        const relative = path.relative(this.#dir, file);
        if (relative.split(path.sep).some((part) => IGNORED.has(part) || METADATA.test(part))) return true;
        return stats?.isFile() === true && !SOURCES.test(file) && !this.#extra.has(file);
      },
    });
    const saved = new Map<string, string>();
    watcher.on('all', (event, file, stats) => {
      // One save causes several events, on a busy machine seconds apart, but one load.
      const version = stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
      const known = saved.get(file);
      saved.set(file, version);
      if (event === 'change' && version !== '' && version === known) return;
      if (event !== 'addDir' && event !== 'unlinkDir') this.#changed.add(file);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#emitChanges(), SETTLE_MS);
    });
    // If a folder is replaced by one with equal files, the watcher does not report a change, only a raw event.
    watcher.on('raw', () => {
      this.#glance ??= setTimeout(() => {
        this.#glance = undefined;
        this.#checkFolder();
      }, SETTLE_MS);
    });
    // If a folder cannot be watched (too many files, a network drive), only reload on save is lost.
    watcher.on('error', () => {});
    return watcher;
  }

  #emitChanges(): void {
    const files = [...this.#changed];
    this.#changed = new Set();
    if (files.length > 0) this.#onChange(files);
    this.#checkFolder();
  }

  #checkFolder(): void {
    // A watcher stays attached to a deleted folder, even when another one gets its name.
    if (identityOf(this.#dir) === this.#watched) return;
    clearInterval(this.#search);
    this.#search = setInterval(() => this.#watchAgain(), GONE_MS).unref();
    this.#watchAgain();
  }

  #watchAgain(): void {
    if (this.#isClosed || identityOf(this.#dir) === undefined) return;
    clearInterval(this.#search);
    void this.#watcher?.close();
    this.#watcher = this.#open();
    // The watcher does not report what changes before it is ready.
    this.#watcher.on('ready', () => {
      if (!this.#isClosed) this.#onChange([this.#dir]);
    });
  }
}

/**
 * Identifies a folder, so that it can be told apart from a later one with the same name, even if that gets the inode
 * number of the deleted one.
 */
function identityOf(dir: string): string | undefined {
  const stat = statSync(dir, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.birthtimeNs}`;
}
