import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { replaceSync } from '../../process/replace.ts';
import { type BlobStore, blobName, type StagedFile } from './blob-store.ts';

/** Stores blobs as files in the data folder, with the same names as self-hosted installations have in their buckets. */
export class FolderBlobs implements BlobStore {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'blobs');
    mkdirSync(this.#folder, { recursive: true });
  }

  readStaged(staged: string): Buffer {
    return readFileSync(staged);
  }

  keep({ staged }: StagedFile, ttlDays: number, traceId: string): string {
    const name = blobName(ttlDays, traceId, randomUUID());
    const target = this.#path(name);
    mkdirSync(path.dirname(target), { recursive: true });
    replaceSync(staged, target);
    return name;
  }

  move(name: string, ttlDays: number): string {
    const [, traceId = '', file = ''] = name.split('/');
    const moved = blobName(ttlDays, traceId, file);
    if (moved === name || !existsSync(this.#path(name))) return moved;
    mkdirSync(path.dirname(this.#path(moved)), { recursive: true });
    replaceSync(this.#path(name), this.#path(moved));
    return moved;
  }

  read(name: string, limit = Number.POSITIVE_INFINITY): Buffer | undefined {
    const file = this.#find(name);
    if (file === undefined) return undefined;
    const bytes = Buffer.alloc(Math.min(limit, statSync(file).size));
    const descriptor = openSync(file, 'r');
    try {
      const read = readSync(descriptor, bytes, 0, bytes.length, 0);
      return bytes.subarray(0, read);
    } finally {
      closeSync(descriptor);
    }
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  remove(name: string): void {
    const file = this.#find(name) ?? this.#path(name);
    rmSync(file, { force: true });
    try {
      rmdirSync(path.dirname(file));
    } catch {
      // The folder is not empty yet, or has already been removed.
    }
  }

  /**
   * Removes files without a trace. A crash can leave them, because files are moved before the row that names
   * them is committed.
   */
  sweep(isKnown: (traceId: string) => boolean): void {
    for (const prefix of this.#prefixes()) {
      for (const traceId of readdirSync(path.join(this.#folder, prefix))) {
        if (!isKnown(traceId)) this.#removeFolder(prefix, traceId);
      }
    }
  }

  removeTrace(traceId: string): void {
    for (const prefix of this.#prefixes()) {
      if (existsSync(this.#path(`${prefix}/${traceId}`))) this.#removeFolder(prefix, traceId);
    }
  }

  letGo(): void {
    // A data folder has no objects.
  }

  countOf(traceId: string): number {
    return this.#prefixes().reduce((sum, prefix) => {
      const folder = this.#path(`${prefix}/${traceId}`);
      return sum + (existsSync(folder) ? readdirSync(folder).length : 0);
    }, 0);
  }

  #removeFolder(prefix: string, traceId: string): void {
    rmSync(this.#path(`${prefix}/${traceId}`), { recursive: true, force: true });
  }

  /**
   * The path of a blob. A file that was moved to another retention without the row that names it being committed is
   * found at its new place.
   */
  #find(name: string): string | undefined {
    const file = this.#path(name);
    if (existsSync(file)) return file;
    const [, ...rest] = name.split('/');
    return this.#prefixes()
      .map((prefix) => this.#path([prefix, ...rest].join('/')))
      .find((moved) => existsSync(moved));
  }

  #prefixes(): string[] {
    return readdirSync(this.#folder).filter((name) => /^ttl_\d+d$/.test(name));
  }

  #path(name: string): string {
    if (!/^ttl_\d+d(\/[\w-]+){1,2}$/.test(name)) throw new Error(`'${name}' is not a blob.`);
    return path.join(this.#folder, ...name.split('/'));
  }
}
