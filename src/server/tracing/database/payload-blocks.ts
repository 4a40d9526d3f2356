import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { RowKeys } from './row-keys.ts';
import type { TracesDatabase } from './traces-database.ts';
import type { PayloadPlace } from './traces-schema.ts';

/** The size at which the next block begins; a block is read as a whole for any payload in it. A larger payload has its own block. */
const MAX_BLOCK_BYTES = 256 * 1024;

/** Level 1 takes half the time of the default 3, and finds common parts of payloads just as well. */
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 1 };
/** With this chunk size, most blocks are decompressed in one piece. */
const DECOMPRESSION = { chunkSize: 64 * 1024 };

interface OpenBlock {
  readonly key: number;
  readonly pieces: Uint8Array[];
  /** The searchable ranges, each with its row in the full-text index: `[row, offset, length, …]`. */
  readonly words: number[];
  size: number;
}

/**
 * Writes payloads into blocks: the payloads of one trace in a request are compressed together, which costs a fraction
 * of compressing each separately, and exploits what they have in common. A block never contains two traces, so that
 * purging a trace means deleting its blocks.
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
   * Adds a payload.
   * @param trace the key of the trace.
   * @param wordsRow the payload's row in the full-text index, if it is searchable.
   * @returns where the payload will be stored.
   */
  add(trace: number, payload: Uint8Array, wordsRow?: number): PayloadPlace {
    let block = this.#openBlock(trace);
    if (block.size > 0 && block.size + payload.length > MAX_BLOCK_BYTES) {
      this.#write(trace, block);
      this.#open.delete(trace);
      block = this.#openBlock(trace);
    }
    const place: PayloadPlace = [block.key, block.size, payload.length];
    if (wordsRow !== undefined) block.words.push(wordsRow, block.size, payload.length);
    block.pieces.push(payload);
    block.size += payload.length;
    return place;
  }

  /** Records in a block that a payload stored as a blob is searchable too. @returns the key of the block. */
  noteSearchable(trace: number, wordsRow: number): number {
    const block = this.#openBlock(trace);
    // The payload is not in the block, so it has no range there.
    block.words.push(wordsRow, -1, -1);
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

  /** Writes the open blocks; must be called before the transaction ends. */
  flush(): void {
    for (const [trace, block] of this.#open) this.#write(trace, block);
    this.#open.clear();
  }

  /** Drops the open blocks, after a rollback. */
  discard(): void {
    this.#open.clear();
  }

  #write(trace: number, block: OpenBlock): void {
    this.#db.statement('INSERT INTO payload_blocks (key, trace, words, data) VALUES (?, ?, ?, ?)').run(
      block.key,
      trace,
      block.words.length === 0 ? null : JSON.stringify(block.words),
      // If zstd knows the size, it allocates no larger tables than necessary.
      zstdCompressSync(Buffer.concat(block.pieces, block.size), {
        params: LEVEL,
        pledgedSrcSize: block.size,
      }),
    );
  }
}

/** Reads payloads; blocks are decompressed once in the reader's lifetime, which is one request. */
export class PayloadBlockReader {
  readonly #db: TracesDatabase;
  readonly #blocks = new Map<number, Buffer>();

  constructor(db: TracesDatabase) {
    this.#db = db;
  }

  /** @returns the bytes at a place; `undefined` when the block no longer exists. */
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
