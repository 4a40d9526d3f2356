import { chmod, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { ServerFile } from '../contract/server-file.ts';
import { sqliteCode } from '../process/error-codes.ts';
import { explainForeignFolder } from '../process/foreign-folder.ts';
import { ifReadable } from '../process/if-present.ts';
import { makeFolder } from '../process/make-folder.ts';
import { messageOf } from '../process/message-of.ts';
import { replacePrivateFile, writePrivateFile } from '../process/private-files.ts';
import { isInside } from '../project/paths.ts';
import type { Logger } from './logger.ts';
import { DataFolderError } from './storage/data-folder-error.ts';
import { openingFile } from './storage/opening-file.ts';

/** SQLite's primary result codes. */
const BUSY = 5;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** The files that a server keeps open while it runs. */
const OPEN_FILES = ['server.lock', 'state.db', 'traces.db'];
/** The interval between checks whether these files still exist. */
const WATCH_MS = 1_000;

/** Thrown when another server is using the data folder. */
export class DataFolderLockedError extends Error {
  override readonly name = 'DataFolderLockedError';
}

/** The keys of the machine itself, as they are stored in a private file. */
const LocalKeys = z.object({
  /** The key for the machine's own clients; it may also be used to open folders and stop the server. */
  api_key: z.string().optional(),
  /** The key with which agents served from folders send traces. */
  tracing_key: z.string().optional(),
});
type LocalKeys = z.output<typeof LocalKeys>;

/**
 * A data folder that this process uses exclusively.
 *
 * The lock is an exclusive SQLite lock on a separate file. The operating system releases it when the process ends, however
 * that happens, and it works on Linux, macOS and Windows (docs/decisions/0002-lock-by-sqlite.md).
 */
export class DataFolder {
  readonly dir: string;
  readonly #lock: DatabaseSync;
  /** The devices and inodes of the watched files; empty texts for files that do not exist. */
  #watched: readonly string[] | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(dir: string, lock: DatabaseSync) {
    this.dir = dir;
    this.#lock = lock;
  }

  /** Opens and locks a data folder, and creates it if necessary. @throws DataFolderLockedError, DataFolderError */
  static async open(dir: string): Promise<DataFolder> {
    const foreign = await prepare(dir).catch((error: unknown) => {
      throw new DataFolderError(
        `The data folder ${dir} is not writable (${messageOf(error)}). Choose another one with --data-dir.`,
      );
    });
    if (foreign !== undefined)
      throw new DataFolderError(
        `The data folder ${dir} cannot be used: ${foreign}. Choose another one with --data-dir, start the server as that user, or give the folder to yours with chown.`,
      );
    return new DataFolder(dir, await lock(dir));
  }

  /**
   * Locks an existing data folder, without checking whether it is writable.
   * @throws DataFolderLockedError, DataFolderError
   */
  static async lockOnly(dir: string): Promise<DataFolder> {
    return new DataFolder(dir, await lock(dir));
  }

  /**
   * Makes an existing folder private, because it contains keys, prompts and answers. New folders are already
   * private. Windows has no file modes: there, this only logs a warning about a folder outside the user's
   * profile.
   */
  async makePrivate(logger: Logger): Promise<void> {
    if (process.platform === 'win32') {
      if (!isInside(homedir(), this.dir))
        logger.warn(
          { data_dir: this.dir },
          'other users of this machine may be able to read the data folder, with keys and prompts: Windows keeps only folders of your profile private; choose one there with --data-dir, or remove their access with icacls',
        );
      return;
    }
    const { mode } = await stat(this.dir);
    if ((mode & 0o077) === 0) return;
    const was = (mode & 0o777).toString(8);
    try {
      await chmod(this.dir, 0o700);
      logger.warn(
        { data_dir: this.dir, mode: was },
        'the data folder was readable by other users; now only you can read it',
      );
    } catch (err) {
      logger.warn(
        { data_dir: this.dir, mode: was, err },
        'the data folder may be readable by other users and could not be made private; choose another one with --data-dir',
      );
    }
  }

  /**
   * Reads the machine's stored keys, so that clients can keep using them.
   * @returns no keys if the file cannot be read or is not valid: the server then creates new ones.
   */
  async readPreviousKeys(): Promise<LocalKeys> {
    try {
      return LocalKeys.parse(JSON.parse(await readFile(this.#file('credentials.json'), 'utf8')));
    } catch {
      return {};
    }
  }

  /** Stores the keys of the machine. */
  async keepKeys(keys: LocalKeys): Promise<void> {
    await this.#writePrivate('credentials.json', keys);
  }

  /** Stores the server's address and key, for clients on this machine. */
  async announce(server: ServerFile): Promise<void> {
    await this.#writePrivate('server.json', server);
  }

  /** Removes the file with the server's address and key. */
  async withdraw(): Promise<void> {
    // If the folder has been replaced, the file belongs to the server that uses the new one.
    if (await this.#isGone()) return;
    await rm(this.#file('server.json'), { force: true });
  }

  /**
   * Checks regularly whether a file that the server keeps open in the folder was deleted or replaced, alone
   * or with the folder. Nothing can be stored after that.
   * @param onGone called once.
   */
  async watch(onGone: (error: DataFolderError) => void): Promise<void> {
    this.#watched = await this.#readInodes();
    this.#timer = setInterval(async () => {
      if (!(await this.#isGone()) || this.#timer === undefined) return;
      this.#unwatch();
      onGone(
        new DataFolderError(
          `The data folder ${this.dir} was deleted or replaced while the server was using it. The server is stopping because it can no longer store data. The next server starts with the contents that the folder then has.`,
        ),
      );
    }, WATCH_MS).unref();
  }

  close(): void {
    this.#unwatch();
    this.#lock.close();
  }

  #unwatch(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #isGone(): Promise<boolean> {
    if (this.#watched === undefined) return false;
    const files = await this.#readInodes();
    const before = this.#watched;
    // Remembers files that did not exist at first: `traces.db` is created with the first trace.
    this.#watched = before.map((file, index) => file || (files[index] ?? ''));
    return before.some((file, index) => file !== '' && file !== files[index]);
  }

  /** The current devices and inodes of the watched files, as in `#watched`. */
  #readInodes(): Promise<string[]> {
    return Promise.all(
      OPEN_FILES.map(async (name) => {
        const found = await ifReadable(stat(this.#file(name), { bigint: true }));
        return found === undefined ? '' : `${found.dev} ${found.ino}`;
      }),
    );
  }

  #file(name: string): string {
    return path.join(this.dir, name);
  }

  /** Writes a file completely or not at all, readable only by its owner. */
  #writePrivate(name: string, content: object): Promise<void> {
    return replacePrivateFile(this.#file(name), `${JSON.stringify(content, null, 2)}\n`);
  }
}

/**
 * Creates a folder if it does not exist. Tries to write to it, unless it belongs to another user.
 * @returns an explanation if the folder belongs to another user.
 */
async function prepare(dir: string): Promise<string | undefined> {
  await makeFolder(dir, 0o700);
  const foreign = await explainForeignFolder(dir);
  if (foreign !== undefined) return foreign;
  // The name is unique, because several servers may try the same folder at once.
  const probe = path.join(dir, `.writable-${process.pid}`);
  await writePrivateFile(probe, '');
  await rm(probe);
  return undefined;
}

/** @throws DataFolderLockedError, DataFolderError */
async function lock(dir: string): Promise<DatabaseSync> {
  const file = path.join(dir, 'server.lock');
  return openingFile(file, () => {
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
      return database;
    } catch (error) {
      database.close();
      const code = sqliteCode(error);
      if (code === BUSY)
        throw new DataFolderLockedError(
          `Another server is using the data folder ${dir}. Stop it first, or choose another folder with --data-dir.`,
        );
      if (code !== NOT_A_DATABASE && code !== CORRUPT) throw error;
      // The file is not deleted here, because another server may have created and locked it since then.
      throw new DataFolderError(`${file} is damaged. It contains no data: delete it and start again.`, {
        cause: error,
      });
    }
  });
}
