import { statSync } from 'node:fs';
import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

/** A burst of changes is over when nothing has changed for this long. */
const SETTLE_MS = 150;
/** The interval between checks whether the folder has been deleted or has come back. */
const CHECK_MS = 1_000;
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
  /** Waits for the end of a burst of changes. */
  #settleTimer: NodeJS.Timeout | undefined;
  /** Delays a check of the folder after an event of the file system. */
  #checkTimer: NodeJS.Timeout | undefined;
  /** Waits for a deleted folder to come back. */
  #searchTimer: NodeJS.Timeout | undefined;
  /** Checks the folder regularly, on Windows. */
  #windowsTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param extra further files to watch, such as an env file. */
  constructor(dir: string, extra: readonly string[], onChange: (files: string[]) => void) {
    this.#dir = dir;
    this.#extra = new Set(extra);
    this.#onChange = onChange;
    this.#watcher = this.#open();
    // On Windows, a watcher gets no events about the folder itself, for example when another one takes its name.
    if (process.platform === 'win32')
      this.#windowsTimer = setInterval(() => this.#checkFolder(), CHECK_MS).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#settleTimer);
    clearTimeout(this.#checkTimer);
    clearInterval(this.#searchTimer);
    clearInterval(this.#windowsTimer);
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
      // One save can cause several events, on a busy machine seconds apart, but must cause one reload.
      const version = stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
      const known = saved.get(file);
      saved.set(file, version);
      if (event === 'change' && version !== '' && version === known) return;
      if (event !== 'addDir' && event !== 'unlinkDir') this.#changed.add(file);
      clearTimeout(this.#settleTimer);
      this.#settleTimer = setTimeout(() => this.#emitChanges(), SETTLE_MS);
    });
    // Replacing the folder with an identical copy causes only raw events.
    watcher.on('raw', () => {
      this.#checkTimer ??= setTimeout(() => {
        this.#checkTimer = undefined;
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
    clearInterval(this.#searchTimer);
    this.#searchTimer = setInterval(() => this.#watchAgain(), CHECK_MS).unref();
    this.#watchAgain();
  }

  #watchAgain(): void {
    if (this.#isClosed || identityOf(this.#dir) === undefined) return;
    clearInterval(this.#searchTimer);
    void this.#watcher?.close();
    this.#watcher = this.#open();
    // The watcher does not report what changes before it is ready.
    this.#watcher.on('ready', () => {
      if (!this.#isClosed) this.#onChange([this.#dir]);
    });
  }
}

/**
 * Identifies a folder, so that it can be distinguished from a later one with the same name, even if that gets the same
 * inode number.
 * @returns undefined when the folder does not exist or cannot be read, for example on a network drive that is gone.
 */
function identityOf(dir: string): string | undefined {
  try {
    const { ino, birthtimeNs } = statSync(dir, { bigint: true });
    return `${ino} ${birthtimeNs}`;
  } catch {
    return undefined;
  }
}
