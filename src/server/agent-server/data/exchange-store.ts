import { Exchange, ExchangePart, type RecordingLine } from '../../../contract/agent-server/exchanges.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Unit } from '../../storage/unit.ts';

/** A page ends with the line that reaches this size. */
const MAX_PAGE_CHARS = 4 * 1_048_576;
const ROWS_AT_ONCE = 16;

/** An exchange without its contents, to find the one that answers a request. */
export type ExchangeEntry = Pick<Exchange, 'ordinal' | 'hash' | 'place'>;

/** The recorded exchanges of threads; they are deleted with their thread. */
export class ExchangeStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /**
   * Stores a line of a recording, in place of the one that an earlier attempt of the run has left, if any.
   */
  put(unit: Unit, threadId: string, line: RecordingLine): void {
    if (line.kind === 'exchange') this.#putExchange(unit, threadId, line);
    else this.#putPart(unit, threadId, line);
  }

  #putExchange(unit: Unit, threadId: string, exchange: Exchange): void {
    const { run_id, ordinal, hash, place } = exchange;
    const row = { hash, ...place, data: JSON.stringify(exchange) };
    unit.do(
      unit.build
        .insertInto('exchanges')
        .values({ thread_id: threadId, run_id, ordinal, ...row })
        .onConflict((conflict) => conflict.columns(['thread_id', 'run_id', 'ordinal']).doUpdateSet(row)),
    );
  }

  /** The exchanges of a run, in the order in which they were begun. */
  async list(threadId: string, runId: string): Promise<ExchangeEntry[]> {
    const rows = await this.#db
      .selectFrom('exchanges')
      .select(['ordinal', 'hash', 'node', 'task'])
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId)
      .orderBy('ordinal')
      .execute();
    return rows.map(({ ordinal, hash, node, task }) => ({ ordinal, hash, place: { node, task } }));
  }

  async read(threadId: string, runId: string, ordinal: number): Promise<Exchange | undefined> {
    const row = await this.#db
      .selectFrom('exchanges')
      .select('data')
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId)
      .where('ordinal', '=', ordinal)
      .executeTakeFirst();
    return row === undefined ? undefined : Exchange.parse(parseStored(row.data));
  }

  #putPart(unit: Unit, threadId: string, { run_id, ordinal, part, encoding, chunks }: ExchangePart): void {
    const data = JSON.stringify({ encoding, chunks });
    unit.do(
      unit.build
        .insertInto('exchange_parts')
        .values({ thread_id: threadId, run_id, ordinal, part, data })
        .onConflict((conflict) =>
          conflict.columns(['thread_id', 'run_id', 'ordinal', 'part']).doUpdateSet({ data }),
        ),
    );
  }

  async readPart(
    threadId: string,
    place: Pick<ExchangePart, 'run_id' | 'ordinal' | 'part'>,
  ): Promise<ExchangePart | undefined> {
    const row = await this.#db
      .selectFrom('exchange_parts')
      .select('data')
      .where('thread_id', '=', threadId)
      .where('run_id', '=', place.run_id)
      .where('ordinal', '=', place.ordinal)
      .where('part', '=', place.part)
      .executeTakeFirst();
    return row === undefined
      ? undefined
      : ExchangePart.parse({ kind: 'exchange_part', ...place, ...parseStored(row.data) });
  }

  /**
   * Reads a page of a run's exchanges, each followed by its parts.
   * @param after the last line of the previous page.
   * @returns the lines, and whether this is certainly the last page; the page after a full one may be empty.
   */
  async readPage(
    threadId: string,
    run_id: string,
    after: LinePlace | undefined,
  ): Promise<{ lines: RecordingLine[]; isLast: boolean }> {
    const page = new Page();
    if (after !== undefined) {
      const place = { run_id, ordinal: after.ordinal };
      await this.#addParts(page, threadId, place, after.part + 1);
    }
    let last = after?.ordinal ?? -1;
    while (!page.isFull) {
      const rows = await this.#db
        .selectFrom('exchanges')
        .select('data')
        .where('thread_id', '=', threadId)
        .where('run_id', '=', run_id)
        .where('ordinal', '>', last)
        .orderBy('ordinal')
        .limit(ROWS_AT_ONCE)
        .execute();
      for (const { data } of rows) {
        const exchange = Exchange.parse(parseStored(data));
        last = exchange.ordinal;
        page.add(exchange, data.length);
        const isLong = (exchange.response?.parts ?? 0) > 0;
        if (isLong) await this.#addParts(page, threadId, { run_id, ordinal: last }, 0);
        if (page.isFull) return { lines: page.lines, isLast: false };
      }
      if (rows.length < ROWS_AT_ONCE) return { lines: page.lines, isLast: true };
    }
    return { lines: page.lines, isLast: false };
  }

  /**
   * Adds the parts of an exchange, beginning with part `from`, until there are no more or the page is full.
   */
  async #addParts(
    page: Page,
    threadId: string,
    place: Pick<ExchangePart, 'run_id' | 'ordinal'>,
    from: number,
  ): Promise<void> {
    for (let part = from; !page.isFull; part++) {
      const found = await this.readPart(threadId, { ...place, part });
      if (found === undefined) return;
      page.add(found, lengthOf(found.chunks));
    }
  }
}

/** The lines of a page, and their size. */
class Page {
  readonly lines: RecordingLine[] = [];
  #chars = 0;

  get isFull(): boolean {
    return this.#chars >= MAX_PAGE_CHARS;
  }

  add(line: RecordingLine, chars: number): void {
    this.lines.push(line);
    this.#chars += chars;
  }
}

/** The position of a line in the recording of a run; an exchange comes before its parts. */
export interface LinePlace {
  readonly ordinal: number;
  /** -1 for the exchange itself. */
  readonly part: number;
}

function lengthOf(chunks: readonly string[]): number {
  return chunks.reduce((total, chunk) => total + chunk.length, 0);
}
