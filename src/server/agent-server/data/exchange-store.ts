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
    const lines: RecordingLine[] = [];
    let characters = 0;
    /** Adds a line to the page. @returns whether the page is full */
    const add = (line: RecordingLine, length: number) => {
      lines.push(line);
      characters += length;
      return characters >= MAX_PAGE_CHARS;
    };
    const addParts = async (ordinal: number, from: number) => {
      for (let part = from; ; part++) {
        const found = await this.readPart(threadId, { run_id, ordinal, part });
        if (found === undefined) return false;
        if (add(found, lengthOf(found.chunks))) return true;
      }
    };
    if (after !== undefined && (await addParts(after.ordinal, after.part + 1)))
      return { lines, isLast: false };
    let last = after?.ordinal ?? -1;
    for (;;) {
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
        if (add(exchange, data.length)) return { lines, isLast: false };
        const isLong = (exchange.response?.parts ?? 0) > 0;
        if (isLong && (await addParts(last, 0))) return { lines, isLast: false };
      }
      if (rows.length < ROWS_AT_ONCE) return { lines, isLast: true };
    }
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
