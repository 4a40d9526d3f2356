import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, link, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileSystemCode } from '../../../process/error-codes.ts';
import { messageOf } from '../../../process/message-of.ts';
import { replace } from '../../../process/replace.ts';
import { type ClaimedStore, checkObjectName, type Objects, ObjectsError } from './objects.ts';
import { reportChunks } from './report-chunks.ts';
import { Semaphore, type Waiting } from './semaphore.ts';
import { identifyStore, MARK, type MarkedPlace, otherStore } from './store-mark.ts';

/**
 * The number of concurrent operations, each of which blocks one of Node's four file threads if a network drive hangs.
 */
const AT_ONCE = 2;
/** The ending of files that are being copied. */
const UNFINISHED = '.new';

/**
 * Files in a folder that all servers share, such as a network drive. A mark in the folder distinguishes an unmounted
 * drive from an empty one.
 */
export class FolderObjects implements Objects, MarkedPlace {
  readonly #folder: string;
  readonly #semaphore = new Semaphore(AT_ONCE);
  #id: string | undefined;

  /** @param folder the absolute path. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get name(): string {
    return this.#folder;
  }

  async identify(claimed?: ClaimedStore): Promise<string> {
    this.#id = await identifyStore(this, claimed).catch(throwUnusable);
    return this.#id;
  }

  async readMark(): Promise<string | undefined> {
    try {
      return (await readFile(path.join(this.#folder, MARK), 'utf8')).trim();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async makeMark(id: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await makeOnce(path.join(this.#folder, MARK), id);
  }

  async replaceMark(id: string): Promise<void> {
    const mark = path.join(this.#folder, MARK);
    await writeWhole(mark, (temporary) => writeFile(temporary, id, { flush: true }));
  }

  async put(name: string, file: string, signal?: AbortSignal): Promise<void> {
    const target = this.#path(name);
    await this.#inTurn({ signal }, async (onProgress) => {
      await this.#checkThere();
      await using source = await open(file);
      await mkdir(path.dirname(target), { recursive: true });
      // The file is on disk before it gets its name, so that a power cut cannot leave a partial file.
      await writeWhole(target, (temporary) =>
        pipeline(
          source.createReadStream(),
          reportChunks(onProgress),
          createWriteStream(temporary, { flush: true }),
          {
            signal,
          },
        ),
      );
    });
  }

  async get(name: string, file: string, signal?: AbortSignal, onProgress?: () => void): Promise<boolean> {
    const stored = this.#path(name);
    return this.#read({ signal, onProgress, missing: false }, async (report) => {
      await using source = await open(stored);
      await mkdir(path.dirname(file), { recursive: true });
      await writeWhole(file, (temporary) =>
        pipeline(source.createReadStream(), reportChunks(report), createWriteStream(temporary), { signal }),
      );
      return true;
    });
  }

  async has(name: string, signal?: AbortSignal): Promise<boolean> {
    const stored = this.#path(name);
    return this.#read({ signal, missing: false }, async () => {
      await access(stored);
      return true;
    });
  }

  async list(prefix: string): Promise<string[]> {
    const folder = this.#path(prefix.replace(/\/$/, ''));
    return this.#read({ missing: [] }, async () => {
      const entries = await readdir(folder, { withFileTypes: true, recursive: true });
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED))
        .map((entry) => path.relative(this.#folder, path.join(entry.parentPath, entry.name)))
        .map((name) => name.replaceAll(path.sep, '/'))
        .sort();
    });
  }

  async remove(name: string, signal?: AbortSignal): Promise<void> {
    const stored = this.#path(name);
    await this.#inTurn({ signal }, () => rm(stored, { force: true }));
  }

  /** Reads from the store in turn. @param missing the result if the store exists but the name does not. */
  #read<Answer>(
    { missing, ...waiting }: Waiting & { readonly missing: NoInfer<Answer> },
    work: (onProgress: () => void) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#inTurn(waiting, async (onProgress) => {
      try {
        return await work(onProgress);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await this.#checkThere();
        return missing;
      }
    });
  }

  /** Runs an operation when it is its turn. @throws ObjectsError */
  #inTurn<Result>(waiting: Waiting, work: (onProgress: () => void) => Promise<Result>): Promise<Result> {
    return this.#semaphore.run(waiting, work).catch(throwUnusable);
  }

  /** @throws ObjectsError if the store is not available, so that nothing is known about its contents. */
  async #checkThere(): Promise<void> {
    if (this.#id === undefined) throw new ObjectsError('The object store has not been identified.');
    if ((await this.readMark()) !== this.#id) throw otherStore(this.#folder, this.#id);
  }

  #path(name: string): string {
    return path.join(this.#folder, ...checkObjectName(name).split('/'));
  }
}

/** Creates a file as a whole or not at all. */
async function writeWhole(file: string, make: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${file}.${randomUUID()}${UNFINISHED}`;
  try {
    await make(temporary);
    await replace(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Creates a file with all of its content at once, unless it exists. */
async function makeOnce(file: string, content: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}${UNFINISHED}`;
  try {
    await writeFile(temporary, content, { flush: true });
    await link(temporary, file).catch(async (error: unknown) => {
      // File systems report missing support for hard links in many ways. A server that reads the file before
      // its content is written takes it for one of an earlier version, and checks again.
      if (!isThere(error)) await writeFile(file, content, { flag: 'wx', flush: true });
    });
  } catch (error) {
    if (!isThere(error)) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

function isMissing(error: unknown): boolean {
  return fileSystemCode(error) === 'ENOENT';
}

function isThere(error: unknown): boolean {
  return fileSystemCode(error) === 'EEXIST';
}

/** Throws an ObjectsError for any error. */
function throwUnusable(error: unknown): never {
  if (error instanceof ObjectsError) throw error;
  throw new ObjectsError(`The object store cannot be used: ${messageOf(error)}`, { cause: error });
}
