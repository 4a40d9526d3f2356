import { Exchange } from '../../../contract/agent-server/exchanges.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Unit } from '../../storage/unit.ts';

/** A page may exceed this by its last exchange. */
const PAGE_CHARACTERS = 4 * 1_048_576;
const ROWS_AT_ONCE = 16;

/** An exchange without what was said, to find the one that answers a request. */
export type ExchangeEntry = Pick<Exchange, 'ordinal' | 'hash' | 'place'>;

/** The recorded exchanges of threads; they are deleted with their thread. */
export class ExchangeStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** Replaces the one with its ordinal, which an attempt that was lost has left. */
  put(unit: Unit, threadId: string, exchange: Exchange): void {
    const { run_id, ordinal, hash, place } = exchange;
    const row = { hash, ...place, data: JSON.stringify(exchange) };
    unit.do(
      unit.build
        .insertInto('exchanges')
        .values({ thread_id: threadId, run_id, ordinal, ...row })
        .onConflict((conflict) => conflict.columns(['thread_id', 'run_id', 'ordinal']).doUpdateSet(row)),
    );
  }

  /** Those of a run, in the order in which they were begun. */
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

  /** Some of a run's, after an ordinal. @returns whether there may be more, too. */
  async readPage(
    threadId: string,
    runId: string,
    after: number,
  ): Promise<{ exchanges: Exchange[]; isLast: boolean }> {
    const exchanges: Exchange[] = [];
    let characters = 0;
    for (;;) {
      const rows = await this.#db
        .selectFrom('exchanges')
        .select('data')
        .where('thread_id', '=', threadId)
        .where('run_id', '=', runId)
        .where('ordinal', '>', exchanges.at(-1)?.ordinal ?? after)
        .orderBy('ordinal')
        .limit(ROWS_AT_ONCE)
        .execute();
      for (const { data } of rows) {
        exchanges.push(Exchange.parse(parseStored(data)));
        characters += data.length;
        if (characters >= PAGE_CHARACTERS) return { exchanges, isLast: false };
      }
      if (rows.length < ROWS_AT_ONCE) return { exchanges, isLast: true };
    }
  }
}
