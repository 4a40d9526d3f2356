import type { RunPayload } from '../../../contract/tracing/runs.ts';
import { type BlobStore, HEAD_BYTES } from '../../storage/blob-store.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { BackgroundWork } from './background-work.ts';
import { PayloadBlockReader } from './payload-blocks.ts';
import type { TracesDatabase } from './traces-database.ts';
import type { PayloadPlace, PayloadPlaces } from './traces-schema.ts';

/** How many characters of a payload can be searched. */
const MAX_TEXT_LENGTH = 32 * 1024;
/** How many blocks are read at a time. */
const BLOCKS_AT_ONCE = 50;

/**
 * The row in the full-text index for a payload; undefined for payloads that cannot be searched, which are all
 * except inputs and outputs.
 */
export function wordsRow(run: number, kind: RunPayload): number | undefined {
  if (kind === 'inputs') return run * 2;
  return kind === 'outputs' ? run * 2 + 1 : undefined;
}

/** A payload that the index may contain. */
interface IndexedPayload {
  /** The keys of the run and its project. */
  readonly run: number;
  readonly session: number;
  readonly kind: RunPayload;
  readonly place: PayloadPlace;
}

/**
 * The full-text index over inputs and outputs. It follows the payload blocks: a mark records which block was indexed
 * last, so requests are acknowledged without waiting for the index, and nothing is skipped after a crash. Removing a
 * payload from the index may require its text, so it must be removed before the payload itself is deleted.
 */
export class WordIndex implements BackgroundWork {
  readonly quietMs = 25;
  readonly starvedMs = 500;
  readonly #db: TracesDatabase;
  readonly #blobs: BlobStore;
  #indexed: number | undefined;

  constructor(db: TracesDatabase, blobs: BlobStore) {
    this.#db = db;
    this.#blobs = blobs;
  }

  /** The key of the last indexed block. */
  get indexed(): number {
    this.#indexed ??= Number(
      this.#db.statement(`SELECT value FROM marks WHERE name = 'indexed_block'`).get()?.value ?? 0,
    );
    return this.#indexed;
  }

  /** The key of the last block; 0 if there is none. */
  get newest(): number {
    return Number(this.#db.statement('SELECT max(key) AS key FROM payload_blocks').get()?.key ?? 0);
  }

  /** Drops the cached mark, after a rollback. */
  forget(): void {
    this.#indexed = undefined;
    this.#db.textIndex.forget();
  }

  /** Indexes new blocks, in a transaction, within the given time. @returns whether more blocks are left. */
  advance(budgetMs: number): boolean {
    const until = performance.now() + budgetMs;
    const blocks = this.#db
      .statement(`SELECT key, words FROM payload_blocks WHERE key > ? ORDER BY key LIMIT ${BLOCKS_AT_ONCE}`)
      .all(this.indexed);
    if (blocks.length === 0) return false;
    let done = 0;
    this.#db.transaction(() => {
      for (const block of blocks) {
        if (typeof block.words === 'string') this.#indexBlock(Number(block.key), block.words);
        this.#indexed = Number(block.key);
        done++;
        if (performance.now() > until) break;
      }
      this.#db.statement(`UPDATE marks SET value = ? WHERE name = 'indexed_block'`).run(this.indexed);
    });
    return done < blocks.length || blocks.length === BLOCKS_AT_ONCE;
  }

  dueAt(): number {
    return this.newest > this.indexed ? 0 : Number.POSITIVE_INFINITY;
  }

  /**
   * Removes a payload from the index, before it is replaced or deleted.
   * @param reader a reader that is shared when many payloads of a trace are removed.
   */
  remove({ run, session, kind, place }: IndexedPayload, reader = new PayloadBlockReader(this.#db)): void {
    const row = wordsRow(run, kind);
    if (row === undefined || !this.#isIndexed(place)) return;
    this.#db.textIndex.remove(row, session, () => this.#readText(reader, place));
  }

  #isIndexed(place: PayloadPlace): boolean {
    return 'blob' in place ? (place.noted ?? 0) <= this.indexed : place[0] <= this.indexed;
  }

  #indexBlock(block: number, words: string): void {
    const reader = new PayloadBlockReader(this.#db);
    const flat = parseStored<number[]>(words);
    for (let at = 0; at + 2 < flat.length; at += 3) {
      const [row = 0, offset = 0] = flat.slice(at, at + 3);
      const found = this.#readPlace(row);
      if (found === undefined) continue;
      const { place, session } = found;
      // If the payload has been replaced since the block was written, its successor is in a later block.
      if ('blob' in place ? place.noted !== block : place[0] !== block || place[1] !== offset) continue;
      const text = this.#readText(reader, place);
      if (text !== undefined && text !== '') this.#db.textIndex.add(row, session, text);
    }
  }

  #readPlace(row: number): { place: PayloadPlace; session: number } | undefined {
    const run = this.#db
      .statement('SELECT payloads, session FROM runs WHERE key = ?')
      .get(Math.floor(row / 2));
    if (typeof run?.payloads !== 'string') return undefined;
    const places = parseStored<PayloadPlaces>(run.payloads);
    const place = row % 2 === 0 ? places.inputs : places.outputs;
    return place === undefined ? undefined : { place, session: Number(run.session) };
  }

  /** The searchable text of a payload; undefined when the payload does not exist. */
  #readText(reader: PayloadBlockReader, place: PayloadPlace): string | undefined {
    if ('blob' in place) {
      // The beginning of a blob is not complete JSON, so its text is indexed unparsed, with spaces instead of escaped
      // control characters. An escaped backslash before one of these letters is taken for one, too. Both adding and
      // removing words depend on this text, so the rule must not change for stored rows.
      const head = this.#blobs.read(place.blob, HEAD_BYTES);
      return head
        ?.toString('utf8')
        .replace(/\\[bfnrt]/g, ' ')
        .slice(0, MAX_TEXT_LENGTH);
    }
    const bytes = reader.read(...place);
    return bytes === undefined ? undefined : textOf(JSON.parse(bytes.toString('utf8')));
  }
}

/** The strings and numbers in a JSON value, in order, up to the searchable length. */
export function textOf(value: unknown): string {
  const found: string[] = [];
  let size = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && size < MAX_TEXT_LENGTH) {
    const next = pending.pop();
    if (typeof next === 'string' || typeof next === 'number') {
      const text = String(next).slice(0, MAX_TEXT_LENGTH - size);
      found.push(text);
      size += text.length + 1;
    } else if (typeof next === 'object' && next !== null) {
      const members = Object.values(next);
      for (let at = members.length - 1; at >= 0; at--) pending.push(members[at]);
    }
  }
  return found.join(' ');
}
