import { z } from 'zod';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import type { StateDatabase } from './state-database.ts';

/** A stored setting. Unreadable settings count as unset, so that the server can start. */
const Stored = z.preprocess((text) => jsonOrUndefined(String(text)), z.number());

/** Stores numbers that the server needs again at its next start, such as its port. */
export class Settings {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  async number(name: string): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst();
    return row === undefined ? undefined : Stored.safeParse(row.value).data;
  }

  async setNumber(name: string, value: number): Promise<void> {
    const row = { value: JSON.stringify(value) };
    await this.#db
      .insertInto('settings')
      .values({ name, ...row })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute();
  }
}
