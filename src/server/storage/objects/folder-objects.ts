import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../../process/message-of.ts';
import { checkObjectName, type Objects, ObjectsError } from './objects.ts';

/** Of files that are being copied. */
const UNFINISHED = '.new';

/** Files in a folder that all servers have, such as a network drive. */
export class FolderObjects implements Objects {
  readonly #folder: string;

  /** @param folder absolute path. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(name: string, file: string): Promise<void> {
    await this.#copy(file, this.#path(name)).catch(refuse);
  }

  async get(name: string, file: string): Promise<boolean> {
    try {
      await this.#copy(this.#path(name), file);
      return true;
    } catch (error) {
      return isMissing(error) ? false : refuse(error);
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
      return isMissing(error) ? [] : refuse(error);
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true }).catch(refuse);
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
