import type { RunPayload } from '../../../contract/tracing/runs.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { BackgroundWork } from '../background-work.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { PayloadPlace, PayloadPlaces } from '../database/traces-schema.ts';
import { PayloadBlockReader } from '../ingestion/payload-blocks.ts';
import { projectWord } from './search-words.ts';

/** Characters of a payload that can be searched. */
const MAX_TEXT_LENGTH = 32 * 1024;
/** Bytes that are read of a payload kept as a blob. */
const BLOB_HEAD = 256 * 1024;

/** Pages that one step of a merge writes. */
const MERGED_PAGES = 32;

/** Rows of the index that no run has, for `merge`: one of several pages, and one of a few bytes. */
const PADDING = {
  key: 0,
  text: Array.from({ length: 4000 }, (_, at) => `padding${at.toString(36)}`).join(' '),
};
const ASIDE = { key: 1, text: 'aside' };

/** The row of the full-text index for a payload; only inputs and outputs are searched. */
export function wordsRow(run: number, kind: RunPayload): number | undefined {
  if (kind === 'inputs') return run * 2;
  return kind === 'outputs' ? run * 2 + 1 : undefined;
}

/**
 * The full-text index over inputs and outputs.
 *
 * It follows the payload blocks: a mark says up to which block it has come, so that acknowledging a request need not
 * wait for it, and a crash leaves nothing out. The index holds words but no text; to take a payload out again its text
 * is read once more from where it is stored, so that must happen before the payload itself is deleted.
 */
export class WordIndex implements BackgroundWork {
  readonly quietMs = 25;
  readonly starvedMs = 500;
  readonly #db: TracesDatabase;
  readonly #blobs: Blobs;
  #indexed: number | undefined;
  #takingOut: 'in-place' | 'marked' | undefined;
  #merging: 'no' | 'yes' = 'no';
  #round: 'padded' | 'aside' = 'padded';

  constructor(db: TracesDatabase, blobs: Blobs) {
    this.#db = db;
    this.#blobs = blobs;
  }

  /** The last block that is indexed. */
  get indexed(): number {
    this.#indexed ??= Number(
      this.#db.statement(`SELECT value FROM marks WHERE name = 'indexed_block'`).get()?.value ?? 0,
    );
    return this.#indexed;
  }

  /** The last block there is. */
  get newest(): number {
    return Number(this.#db.statement('SELECT max(key) AS key FROM payload_blocks').get()?.key ?? 0);
  }

  /** Forgets the mark as it was read, after a rollback. */
  forget(): void {
    this.#indexed = undefined;
    this.#takingOut = undefined;
    this.#merging = 'no';
  }

  /**
   * Indexes what came since the last time, in a transaction, until the time is used up.
   * @returns whether more is left.
   */
  advance(budgetMs: number): boolean {
    const until = performance.now() + budgetMs;
    const blocks = this.#db
      .statement('SELECT key, words FROM payload_blocks WHERE key > ? ORDER BY key LIMIT 50')
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
    return done < blocks.length || blocks.length === 50;
  }

  /**
   * How words are taken out from now on. In place costs a look-up for every word, which is right for a few payloads;
   * many are only marked as gone, and are gone when `merge` has come to its end.
   */
  takeOut(how: 'in-place' | 'marked'): void {
    if (how === this.#takingOut) return;
    // Written out, since Node binds every number as a real, and FTS5 wants an integer.
    const value = how === 'in-place' ? 1 : 0;
    this.#db.sqlite.exec(`INSERT INTO runs_words (runs_words, rank) VALUES ('secure-delete', ${value})`);
    this.#takingOut = how;
  }

  /**
   * Rewrites the index without the words marked as deleted, a piece at a time; each call is a transaction.
   *
   * FTS5 forgets what is marked only when it merges into its oldest level, and passes that over when all segments are on
   * one level, or there is but one. So it is made to merge twice: with padding, that leaves a segment of some pages, and
   * then with a small one beside it, which stays on a level of its own.
   * @returns whether more is left.
   */
  merge(): boolean {
    const changes = () => Number(this.#db.statement('SELECT total_changes() AS n').get()?.n);
    const row = this.#round === 'padded' ? PADDING : ASIDE;
    if (this.#merging === 'no' && !this.#has(row.key)) {
      this.#db
        .statement('INSERT INTO runs_words (rowid, project, text) VALUES (?, ?, ?)')
        .run(row.key, '', row.text);
      return true;
    }
    // A negative number begins: all there is becomes one segment. Positive ones continue.
    const before = changes();
    const pages = this.#merging === 'no' ? -MERGED_PAGES : MERGED_PAGES;
    this.#db.sqlite.exec(`INSERT INTO runs_words (runs_words, rank) VALUES ('merge', ${pages})`);
    this.#merging = changes() - before >= 2 ? 'yes' : 'no';
    if (this.#merging === 'yes') return true;
    if (this.#round === 'padded') {
      this.#round = 'aside';
      return true;
    }
    this.#round = 'padded';
    this.takeOut('in-place');
    for (const { key, text } of [PADDING, ASIDE]) this.#delete(key, '', text);
    return false;
  }

  #has(row: number): boolean {
    return this.#db.statement('SELECT 1 FROM runs_words_docsize WHERE id = ?').get(row) !== undefined;
  }

  #delete(row: number, project: string, text: string): void {
    this.#db
      .statement(`INSERT INTO runs_words (runs_words, rowid, project, text) VALUES ('delete', ?, ?, ?)`)
      .run(row, project, text);
  }

  /**
   * Takes a payload out of the index, before it is replaced or deleted.
   * @param reader shared when many payloads of a trace are taken out.
   */
  remove(
    run: number,
    session: number,
    kind: RunPayload,
    place: PayloadPlace,
    reader = new PayloadBlockReader(this.#db),
  ): void {
    const row = wordsRow(run, kind);
    if (row === undefined || !this.#isIndexed(place)) return;
    const text = this.#readText(reader, place);
    if (text === undefined || text === '') return;
    this.#delete(row, projectWord(session), text);
  }

  #isIndexed(place: PayloadPlace): boolean {
    return 'blob' in place ? (place.noted ?? 0) <= this.indexed : place[0] <= this.indexed;
  }

  #indexBlock(block: number, words: string): void {
    const reader = new PayloadBlockReader(this.#db);
    const insert = this.#db.statement('INSERT INTO runs_words (rowid, project, text) VALUES (?, ?, ?)');
    const flat = parseStored<number[]>(words);
    for (let at = 0; at + 2 < flat.length; at += 3) {
      const [row = 0, offset = 0] = flat.slice(at, at + 3);
      const found = this.#readPlace(row);
      if (found === undefined) continue;
      const { place, session } = found;
      // Replaced since it was written: its successor is in a later block.
      if ('blob' in place ? place.noted !== block : place[0] !== block || place[1] !== offset) continue;
      const text = this.#readText(reader, place);
      if (text !== undefined && text !== '') insert.run(row, projectWord(session), text);
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

  #readText(reader: PayloadBlockReader, place: PayloadPlace): string | undefined {
    if ('blob' in place) {
      const head = this.#blobs.read(place.blob, BLOB_HEAD);
      return head
        ?.toString('utf8')
        .replace(/\\[bfnrt]/g, ' ')
        .slice(0, MAX_TEXT_LENGTH);
    }
    const bytes = reader.read(...place);
    return bytes === undefined ? undefined : textOf(JSON.parse(bytes.toString('utf8')));
  }
}

/** The strings and numbers in a JSON value, in order, up to what is searched of it. */
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
