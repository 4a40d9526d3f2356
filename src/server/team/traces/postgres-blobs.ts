import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { HttpError } from '../../http/errors.ts';
import { type BlobStore, blobName, HEAD_BYTES, type StagedFile } from '../../storage/blob-store.ts';
import { ObjectSupply } from '../../storage/object-supply.ts';
import type { TracesDatabase } from '../../tracing/database/traces-database.ts';
import { objectName } from './object-name.ts';

/**
 * Blobs as rows, which are committed and rolled back with the rows that refer to them. The row of a blob in the
 * object store has the name of its object, which is stored first.
 */
export class PostgresBlobs implements BlobStore {
  readonly #db: TracesDatabase;
  readonly #objects: ObjectSupply;

  /** @param objects the objects that were fetched from the object store. */
  constructor(db: TracesDatabase, objects = new ObjectSupply()) {
    this.#db = db;
    this.#objects = objects;
  }

  readStaged(staged: string): Buffer {
    return readFileSync(staged);
  }

  /** @throws HttpError 503 when the object is considered lost. */
  keep(file: StagedFile, ttlDays: number, traceId: string): string {
    if (file.object !== undefined)
      return this.#keepObject(file.object, file, blobName(ttlDays, traceId, path.basename(file.staged)));
    const name = blobName(ttlDays, traceId, randomUUID());
    this.#db
      .statement('INSERT INTO blobs (name, data) VALUES (?, ?)')
      .run(name, zstdCompressSync(readFileSync(file.staged)));
    rmSync(file.staged, { force: true });
    return name;
  }

  move(name: string, ttlDays: number): string {
    const [, traceId = '', file = ''] = name.split('/');
    const moved = blobName(ttlDays, traceId, file);
    if (moved !== name) this.#db.statement('UPDATE blobs SET name = ? WHERE name = ?').run(moved, name);
    return moved;
  }

  read(name: string, limit = Number.POSITIVE_INFINITY): Buffer | undefined {
    const row = this.#db.statement('SELECT data, object, head FROM blobs WHERE name = ?').get(name);
    if (row === undefined) return undefined;
    const { data, head } = row;
    const packed =
      data ?? (limit <= HEAD_BYTES && head !== null ? head : this.#objects.read(String(row.object)));
    if (!(packed instanceof Uint8Array)) return undefined;
    const bytes = zstdDecompressSync(packed);
    return bytes.length <= limit ? bytes : bytes.subarray(0, limit);
  }

  /** Whether a blob exists. It does until the store has confirmed that its object is deleted. */
  has(name: string): boolean {
    return (
      this.#db
        .statement('SELECT 1 FROM blobs WHERE name = ? UNION ALL SELECT 1 FROM loose_objects WHERE name = ?')
        .get(name, objectName(path.posix.basename(name))) !== undefined
    );
  }

  remove(name: string): void {
    this.#db.statement('DELETE FROM blobs WHERE name = ?').run(name);
  }

  removeTrace(traceId: string): void {
    this.#db.statement('DELETE FROM blobs WHERE trace = ?').run(traceId);
  }

  /**
   * Makes objects due for removal. Objects of blobs are not affected, because they are no longer on the list.
   */
  letGo(objects: readonly string[]): void {
    this.#db
      .statement(
        'UPDATE loose_objects SET due = clock_timestamp() WHERE name = ANY (?::text[]) AND doomed_at IS NULL',
      )
      .run(objects);
  }

  countOf(traceId: string): number {
    const row = this.#db.statement('SELECT count(*) AS n FROM blobs WHERE trace = ?').get(traceId);
    return Number(row?.n);
  }

  sweep(): void {
    // There is nothing to sweep: every row of a blob has another row that refers to it.
  }

  #keepObject(object: string, { staged, isText = false }: StagedFile, name: string): string {
    const { changes } = this.#db
      .statement('DELETE FROM loose_objects WHERE name = ? AND doomed_at IS NULL')
      .run(object);
    if (changes !== 1)
      throw new HttpError(
        503,
        'Storing a large payload took too long. Nothing from this request was stored. Try again.',
      );
    this.#db
      .statement('INSERT INTO blobs (name, object, head) VALUES (?, ?, ?)')
      .run(name, object, isText ? packHead(readHead(staged)) : null);
    return name;
  }
}

/** Packs the beginning of a payload for the row of its blob. */
export function packHead(bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes.subarray(0, HEAD_BYTES));
}

function readHead(file: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}
