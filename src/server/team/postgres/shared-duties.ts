import { type Kysely, sql } from 'kysely';
import type { Bus } from '../../storage/bus.ts';
import { Duties, DutyLostError } from '../../storage/duties.ts';
import type { StateSchema } from '../../storage/state-schema.ts';

/** The duties of several servers, stored in a table: a node's duties end when others take over from it. */
export class SharedDuties extends Duties {
  readonly #db: Kysely<StateSchema>;
  readonly #bus: Bus;
  readonly #node: number;

  /** @param node the server's number among those that use the database. */
  constructor(db: Kysely<StateSchema>, bus: Bus, node: number) {
    super();
    this.#db = db;
    this.#bus = bus;
    this.#node = node;
  }

  async take(name: string): Promise<boolean> {
    const { rows } = await sql`
      insert into duties (name, node) values (${name}, ${this.#node})
      on conflict (name) do update set node = excluded.node where duties.node = excluded.node
      returning node`.execute(this.#db);
    return rows.length > 0;
  }

  async release(name: string): Promise<void> {
    await sql`delete from duties where name = ${name} and node = ${this.#node}`.execute(this.#db);
    this.#bus.hint(`duty:${name}`);
  }

  async listTakenElsewhere(prefix: string): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ name: string }>`
      select name from duties where starts_with(name, ${prefix}) and node <> ${this.#node}`.execute(this.#db);
    return new Set(rows.map(({ name }) => name));
  }

  write<Result>(name: string, work: (db: Kysely<StateSchema>) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute(async (transaction) => {
      // A server that takes over from this one waits until this transaction is committed, and then deletes the row.
      const { rows } = await sql`
        select from duties where name = ${name} and node = ${this.#node} for share`.execute(transaction);
      if (rows.length === 0) throw new DutyLostError(name);
      return work(transaction);
    });
  }

  async takeWhenFree(name: string, signal = new AbortController().signal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const released = this.#bus.next(`duty:${name}`, signal);
      if (await this.take(name)) return;
      await released;
    }
  }
}
