import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { RowKeys } from './row-keys.ts';
import type { TracesDatabase } from './traces-database.ts';
import type { PayloadPlace } from './traces-schema.ts';

/** A block is read as a whole for any payload in it. */
const BLOCK_BYTES = 256 * 1024;

/** Level 1 takes half the time of the default 3, and finds what payloads have in common just as well. */
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 1 };
/** Most blocks come out in one piece. */
const DECOMPRESSION = { chunkSize: 64 * 1024 };

interface OpenBlock {
  readonly key: number;
  readonly pieces: Uint8Array[];
  /** The searchable stretches: the row in the full-text index, and the stretch, `[row, offset, length, …]`. */
  readonly words: number[];
  size: number;
}

/**
 * Writes payloads into blocks: what one request brings of one trace is compressed together, which costs a fraction of
 * compressing each payload and finds what they have in common. A block never holds two traces, so that purging a trace
 * is deleting its blocks.
 */
export class PayloadBlockWriter {
  readonly #db: TracesDatabase;
  readonly #keys: RowKeys;
  readonly #open = new Map<number, OpenBlock>();

  constructor(db: TracesDatabase, keys: RowKeys) {
    this.#db = db;
    this.#keys = keys;
  }

  /**
   * @param trace key of the trace.
   * @param words the row of the full-text index it is searched by, if it is.
   */
  add(trace: number, payload: Uint8Array, words?: number): PayloadPlace {
    let block = this.#openBlock(trace);
    if (block.size > 0 && block.size + payload.length > BLOCK_BYTES) {
      this.#write(trace, block);
      this.#open.delete(trace);
      block = this.#openBlock(trace);
    }
    const place: PayloadPlace = [block.key, block.size, payload.length];
    if (words !== undefined) block.words.push(words, block.size, payload.length);
    block.pieces.push(payload);
    block.size += payload.length;
    return place;
  }

  /** Notes that a payload kept elsewhere, as a blob, is to be searched too. @returns the key of the block. */
  note(trace: number, words: number): number {
    const block = this.#openBlock(trace);
    block.words.push(words, -1, -1);
    return block.key;
  }

  #openBlock(trace: number): OpenBlock {
    let block = this.#open.get(trace);
    if (block === undefined) {
      block = { key: this.#keys.next('payload_blocks'), pieces: [], words: [], size: 0 };
      this.#open.set(trace, block);
    }
    return block;
  }

  /** Writes what is still open; call it before the transaction ends. */
  flush(): void {
    for (const [trace, block] of this.#open) this.#write(trace, block);
    this.#open.clear();
  }

  /** Forgets what is open, after a rollback. */
  discard(): void {
    this.#open.clear();
  }

  #write(trace: number, block: OpenBlock): void {
    this.#db.statement('INSERT INTO payload_blocks (key, trace, words, data) VALUES (?, ?, ?, ?)').run(
      block.key,
      trace,
      block.words.length === 0 ? null : JSON.stringify(block.words),
      // Given the size, zstd sets up no larger tables than it needs.
      zstdCompressSync(Buffer.concat(block.pieces, block.size), {
        params: LEVEL,
        pledgedSrcSize: block.size,
      }),
    );
  }
}

/** Reads payloads; blocks are decompressed once while the reader lives, which is for one request. */
export class PayloadBlockReader {
  readonly #db: TracesDatabase;
  readonly #blocks = new Map<number, Buffer>();

  constructor(db: TracesDatabase) {
    this.#db = db;
  }

  /** @returns the bytes at a place; `undefined` when the block is gone. */
  read(block: number, offset: number, length: number): Buffer | undefined {
    let bytes = this.#blocks.get(block);
    if (bytes === undefined) {
      const row = this.#db.statement('SELECT data FROM payload_blocks WHERE key = ?').get(block);
      if (!(row?.data instanceof Uint8Array)) return undefined;
      bytes = zstdDecompressSync(row.data, DECOMPRESSION);
      this.#blocks.set(block, bytes);
    }
    return bytes.subarray(offset, offset + length);
  }
}
