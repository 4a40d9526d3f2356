import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { openingFile } from './data-folder-error.ts';

/**
 * Large payloads as files under their retention prefix, `ttl_<N>d/<trace id>/<uuid>`, as self-hosted installations
 * keep them in a bucket. Used in the storage thread, where waiting for the disk blocks nothing else.
 */
export class Blobs {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'blobs');
    mkdirSync(this.#folder, { recursive: true });
  }

  /** The spooled body of a request. */
  readStaged(staged: string): Buffer {
    return readFileSync(staged);
  }

  /** Takes over a staged file. @returns its new name. */
  keep(staged: string, ttlDays: number, traceId: string): string {
    const name = `ttl_${ttlDays}d/${traceId}/${randomUUID()}`;
    const target = this.#path(name);
    mkdirSync(path.dirname(target), { recursive: true });
    renameSync(staged, target);
    return name;
  }

  /** Moves a blob to the prefix of another retention. @returns its new name. */
  move(name: string, ttlDays: number): string {
    const [, traceId = '', file = ''] = name.split('/');
    const moved = `ttl_${ttlDays}d/${traceId}/${file}`;
    if (moved === name || !existsSync(this.#path(name))) return moved;
    mkdirSync(path.dirname(this.#path(moved)), { recursive: true });
    renameSync(this.#path(name), this.#path(moved));
    return moved;
  }

  /** The first bytes of a blob, all of it by default; `undefined` when it is gone. */
  read(name: string, limit = Number.POSITIVE_INFINITY): Buffer | undefined {
    const file = this.#path(name);
    if (!existsSync(file)) return undefined;
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
    return existsSync(this.#path(name));
  }

  remove(name: string): void {
    const file = this.#path(name);
    rmSync(file, { force: true });
    try {
      rmdirSync(path.dirname(file));
    } catch {
      // Not empty yet, or gone already.
    }
  }

  /** Every trace id that has a folder, by prefix. */
  *traceFolders(): Generator<{ prefix: string; traceId: string }> {
    for (const prefix of this.#prefixes()) {
      for (const traceId of readdirSync(path.join(this.#folder, prefix))) yield { prefix, traceId };
    }
  }

  /** Removes all files of a trace, including replaced ones. */
  removeTrace(traceId: string): void {
    for (const prefix of this.#prefixes()) {
      if (existsSync(this.#path(`${prefix}/${traceId}`))) this.removeFolder(prefix, traceId);
    }
  }

  removeFolder(prefix: string, traceId: string): void {
    rmSync(this.#path(`${prefix}/${traceId}`), { recursive: true, force: true });
  }

  #prefixes(): string[] {
    return readdirSync(this.#folder).filter((name) => /^ttl_\d+d$/.test(name));
  }

  #path(name: string): string {
    if (!/^ttl_\d+d(\/[\w-]+){1,2}$/.test(name)) throw new Error(`'${name}' is not a blob.`);
    return path.join(this.#folder, ...name.split('/'));
  }
}

/** Where requests spool what they bring before it is known to be good. */
export function stagingFolder(dataDir: string): string {
  return path.join(dataDir, 'blobs', 'staging');
}

/**
 * Makes the staging folder, and removes what requests left in it that a crash cut short: before any request is let in.
 * @throws DataFolderError
 */
export async function prepareStaging(dataDir: string): Promise<void> {
  const folder = stagingFolder(dataDir);
  await openingFile(folder, async () => {
    await mkdir(folder, { recursive: true });
    const left = await readdir(folder);
    await Promise.all(left.map((name) => rm(path.join(folder, name), { recursive: true, force: true })));
  });
}
