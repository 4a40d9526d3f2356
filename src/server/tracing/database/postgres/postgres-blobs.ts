import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type BlobStore, blobName } from '../../../storage/blob-store.ts';
import type { TracesDatabase } from '../traces-database.ts';

/** Blobs as rows, which are committed and rolled back with the rows that name them. */
export class PostgresBlobs implements BlobStore {
  readonly #db: TracesDatabase;

  constructor(db: TracesDatabase) {
    this.#db = db;
  }

  readStaged(staged: string): Buffer {
    return readFileSync(staged);
  }

  keep(staged: string, ttlDays: number, traceId: string): string {
    const name = blobName(ttlDays, traceId, randomUUID());
    this.#db
      .statement('INSERT INTO blobs (name, data) VALUES (?, ?)')
      .run(name, zstdCompressSync(readFileSync(staged)));
    rmSync(staged, { force: true });
    return name;
  }

  move(name: string, ttlDays: number): string {
    const [, traceId = '', file = ''] = name.split('/');
    const moved = blobName(ttlDays, traceId, file);
    if (moved !== name) this.#db.statement('UPDATE blobs SET name = ? WHERE name = ?').run(moved, name);
    return moved;
  }

  read(name: string, limit = Number.POSITIVE_INFINITY): Buffer | undefined {
    const row = this.#db.statement('SELECT data FROM blobs WHERE name = ?').get(name);
    if (!(row?.data instanceof Uint8Array)) return undefined;
    const bytes = zstdDecompressSync(row.data);
    return bytes.length <= limit ? bytes : bytes.subarray(0, limit);
  }

  has(name: string): boolean {
    return this.#db.statement('SELECT 1 FROM blobs WHERE name = ?').get(name) !== undefined;
  }

  remove(name: string): void {
    this.#db.statement('DELETE FROM blobs WHERE name = ?').run(name);
  }

  removeTrace(traceId: string): void {
    this.#db.statement('DELETE FROM blobs WHERE trace = ?').run(traceId);
  }

  sweep(): void {
    // There is no row without the one that names it.
  }
}
