import { readdir, stat } from 'node:fs/promises';
import { ifReadable } from '../process/if-present.ts';
import { readText } from './read-text.ts';

export type FileKind = 'file' | 'folder';

/** Access to the files of a project: on disk, or with the unsaved contents of an editor. */
export interface ProjectFiles {
  /** The text of a file; undefined when it does not exist, or cannot be read. */
  read(file: string): Promise<string | undefined>;
  /** The kind of a path; undefined when it does not exist. */
  kind(file: string): Promise<FileKind | undefined>;
  /** The entries of a folder; empty when it is not a folder. */
  list(folder: string): Promise<readonly { readonly name: string; readonly kind: FileKind }[]>;
}

/** The files on disk. */
export const filesOnDisk: ProjectFiles = {
  async read(file) {
    return ifReadable(readText(file));
  },
  async kind(file) {
    const found = await ifReadable(stat(file));
    if (found === undefined) return undefined;
    return found.isDirectory() ? 'folder' : 'file';
  },
  async list(folder) {
    const entries = (await ifReadable(readdir(folder, { withFileTypes: true }))) ?? [];
    return entries.map((entry) => ({ name: entry.name, kind: entry.isDirectory() ? 'folder' : 'file' }));
  },
};
