import type { BlobStore } from '../../storage/blob-store.ts';
import { PayloadBlockReader } from './payload-blocks.ts';
import type { TracesDatabase } from './traces-database.ts';
import type { PayloadPlace } from './traces-schema.ts';

/** Reads the payloads of runs, wherever they are stored; used for one request. */
export class StoredPayloads {
  readonly #blocks: PayloadBlockReader;
  readonly #blobs: BlobStore;

  constructor(db: TracesDatabase, blobs: BlobStore) {
    this.#blocks = new PayloadBlockReader(db);
    this.#blobs = blobs;
  }

  /**
   * Reads a payload. @param limit how many bytes to read of a payload that is a blob; others are read as a whole.
   * @returns JSON text; `undefined` when the payload does not exist.
   */
  read(place: PayloadPlace, limit?: number): string | undefined {
    if ('blob' in place) return this.#blobs.read(place.blob, limit)?.toString('utf8');
    return this.#blocks.read(...place)?.toString('utf8');
  }

  /** Reads and parses a payload. @returns `undefined` when it does not exist. */
  readJson(place: PayloadPlace): unknown {
    const text = this.read(place);
    return text === undefined ? undefined : JSON.parse(text);
  }
}
