import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { RunPayload } from '../../../contract/tracing/runs.ts';
import { blobName } from '../../storage/blob-store.ts';
import { parseStored } from '../../storage/stored-json.ts';
import { LARGE_PART_BYTES } from '../../tracing/api/ingestion/part-gatherer.ts';
import type { PayloadPlace, PayloadPlaces } from '../../tracing/database/traces-schema.ts';
import { wordsRow } from '../../tracing/database/word-index.ts';
import type { Row } from './row.ts';
import type { SourceFolder } from './source-folder.ts';

/**
 * A large payload that was sent within the JSON of its run. In a data folder, it is alone in a block in the database.
 */
interface BlockPayload {
  readonly block: number;
  readonly run: number;
  readonly kind: RunPayload;
  readonly length: number;
  /**
   * The name of the payload's blob in a team with an object store. Repeated attempts of a move use the same
   * name.
   */
  readonly name: string;
}

const EMPTY_DATA = zstdCompressSync('');
/**
 * The offset and the length in the `words` of a block whose payload has become a blob, as
 * `PayloadBlockWriter.note` writes them.
 */
const NOTED = -1;

/** Moves the large payloads in blocks of a folder, and changes the rows that refer to them. */
export class BlockPayloads {
  readonly #byBlock = new Map<number, BlockPayload>();
  readonly #byRun = new Map<number, BlockPayload[]>();

  /** Finds the payloads in a folder. */
  static of(source: SourceFolder): BlockPayloads {
    const found = new BlockPayloads();
    for (const { kind, traceId, ttlDays, ...payload } of source.payloadsInBlocks(LARGE_PART_BYTES)) {
      const file = createHash('sha256').update(`${traceId} ${payload.block}`).digest('hex').slice(0, 32);
      const name = blobName(ttlDays, traceId, file);
      found.#add({ ...payload, kind: RunPayload.parse(kind), name });
    }
    return found;
  }

  #add(payload: BlockPayload): void {
    const { block, run } = payload;
    this.#byBlock.set(block, payload);
    this.#byRun.set(run, [...(this.#byRun.get(run) ?? []), payload]);
  }

  all(): Iterable<BlockPayload> {
    return this.#byBlock.values();
  }

  /** A row of `runs` in which the large payloads of the run are blobs. */
  runRow(row: Row): Row {
    const large = this.#byRun.get(Number(row.key));
    if (large === undefined || typeof row.payloads !== 'string') return row;
    const places: { [Kind in RunPayload]?: PayloadPlace } = parseStored<PayloadPlaces>(row.payloads);
    for (const { kind, name, length, block, run } of large)
      places[kind] = {
        blob: name,
        length,
        ...(wordsRow(run, kind) === undefined ? {} : { noted: block }),
      };
    return { ...row, payloads: JSON.stringify(places) };
  }

  /** A row of `payload_blocks`. If its payload becomes a blob, the row only records that the payload is searchable. */
  blockRow(row: Row): Row {
    if (!this.#byBlock.has(Number(row.key))) return row;
    const words = typeof row.words === 'string' ? parseStored<number[]>(row.words) : undefined;
    const noted = words?.map((value, at) => (at % 3 === 0 ? value : NOTED));
    return { ...row, data: EMPTY_DATA, words: noted === undefined ? null : JSON.stringify(noted) };
  }
}
