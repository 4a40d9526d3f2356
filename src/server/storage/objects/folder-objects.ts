import { randomUUID } from 'node:crypto';
import { access, copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../../process/message-of.ts';
import { checkObjectName, type Objects, ObjectsError } from './objects.ts';

/** Of files that are being copied. */
const UNFINISHED = '.new';
/** In the folder itself, which no name of an object can be. */
const MARKER = '.agent-harbor-objects';

/** Files in a folder that all servers have, such as a network drive. */
export class FolderObjects implements Objects {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Marks the folder, so that one which is not there any more, such as that of a network drive, is not taken for one that is
   * empty.
   * @param folder absolute path.
   * @throws ObjectsError
   */
  static async open(folder: string): Promise<FolderObjects> {
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, MARKER), '', { flag: 'a' });
    } catch (error) {
      refuse(error);
    }
    return new FolderObjects(folder);
  }

  async put(name: string, file: string): Promise<void> {
    const target = this.#path(name);
    await this.#checkThere();
    await this.#copy(file, target).catch(refuse);
  }

  async get(name: string, file: string): Promise<boolean> {
    try {
      await this.#copy(this.#path(name), file);
      return true;
    } catch (error) {
      if (!isMissing(error)) return refuse(error);
      await this.#checkThere();
      return false;
    }
  }

  async has(name: string): Promise<boolean> {
    try {
      await access(this.#path(name));
      return true;
    } catch (error) {
      if (!isMissing(error)) return refuse(error);
      await this.#checkThere();
      return false;
    }
  }

  async list(prefix: string): Promise<string[]> {
    try {
      const folder = this.#path(prefix.replace(/\/$/, ''));
      const entries = await readdir(folder, { withFileTypes: true, recursive: true });
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED))
        .map((entry) => path.relative(this.#folder, path.join(entry.parentPath, entry.name)))
        .map((name) => name.replaceAll(path.sep, '/'))
        .sort();
    } catch (error) {
      if (!isMissing(error)) return refuse(error);
      await this.#checkThere();
      return [];
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true }).catch(refuse);
  }

  /** @throws ObjectsError when the folder is not there, so that nothing can be said of what is in it. */
  async #checkThere(): Promise<void> {
    await access(path.join(this.#folder, MARKER)).catch(refuse);
  }

  async #copy(from: string, to: string): Promise<void> {
    await mkdir(path.dirname(to), { recursive: true });
    const temporary = `${to}.${randomUUID()}${UNFINISHED}`;
    try {
      await copyFile(from, temporary);
      await rename(temporary, to);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  #path(name: string): string {
    return path.join(this.#folder, ...checkObjectName(name).split('/'));
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function refuse(error: unknown): never {
  if (error instanceof ObjectsError) throw error;
  throw new ObjectsError(`The object store cannot be used: ${messageOf(error)}`, { cause: error });
}
