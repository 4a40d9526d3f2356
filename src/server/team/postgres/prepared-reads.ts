import type { Kysely } from 'kysely';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import type { QueryMeters } from '../../meters.ts';
import type { Reading, ReadQuery } from '../../storage/reading.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import { isUnreachable } from './error-kinds.ts';
import { toPostgres } from './postgres-value.ts';
import { StatementNames } from './statement-names.ts';

/**
 * PostgreSQL's error when a prepared statement would return different columns than when it was prepared, because a
 * newer server has changed the table.
 */
const OUTDATED = /^cached plan must not change result type/;

/**
 * Answers readings with statements that each connection prepares once: parsing and planning frequent queries costs
 * PostgreSQL several times as much as executing them.
 */
export class PreparedReads {
  readonly #pool: Pool;
  readonly #build: Kysely<StateSchema>;
  readonly #meters: QueryMeters;
  readonly #names = new StatementNames();

  constructor(pool: Pool, build: Kysely<StateSchema>, meters: QueryMeters) {
    this.#pool = pool;
    this.#build = build;
    this.#meters = meters;
  }

  /** Answers all queries from one snapshot of the database. @throws DatabaseUnreachable */
  snapshot<Result>(reading: Reading<Result>): Promise<Result> {
    return this.#connected(async (client) => {
      await client.query('begin isolation level repeatable read read only').catch(nameUnreachable);
      try {
        return await this.#answer(client, reading);
      } finally {
        await client.query('commit').catch(nameUnreachable);
      }
    });
  }

  /** Answers a reading that consists of a single query, which needs no transaction. @throws DatabaseUnreachable */
  single<Result>(reading: Reading<Result>): Promise<Result> {
    return this.#connected((client) => this.#answer(client, reading));
  }

  /** Closes the pool, unless Kysely has closed it: Kysely closes only pools that its own queries have used. */
  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  async #connected<Result>(read: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const { connections } = this.#meters;
    const client = await connections
      .time(
        () => this.#pool.connect(),
        () => ({}),
      )
      .catch(nameUnreachable);
    let isBroken = false;
    try {
      return await read(client);
    } catch (error) {
      isBroken = error instanceof DatabaseUnreachable;
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  async #answer<Result>(client: PoolClient, reading: Reading<Result>): Promise<Result> {
    let step = reading.next();
    while (step.done !== true) {
      const question = step.value;
      step = reading.next(
        await this.#meters.reads.time(
          () => this.#ask(client, question),
          () => ({}),
        ),
      );
    }
    return step.value;
  }

  async #ask(client: PoolClient, question: ReadQuery): Promise<unknown[]> {
    const { sql: text, parameters } = question.bind(this.#build);
    const values = parameters.map(toPostgres);
    if (!question.isRepeated) {
      const { rows } = await client.query({ text, values }).catch(nameUnreachable);
      return rows;
    }
    const name = this.#names.of(text);
    try {
      return (await client.query({ name, text, values })).rows;
    } catch (error) {
      if (isOutdated(error) && this.#names.of(text) === name) this.#names.renew(text);
      return nameUnreachable(error);
    }
  }
}

/** Converts the errors of queries; a reading's own errors have nothing to do with the connection. */
function nameUnreachable(error: unknown): never {
  throw isUnreachable(error) || isOutdated(error) ? new DatabaseUnreachable(error) : error;
}

function isOutdated(error: unknown): boolean {
  return error instanceof DatabaseError && OUTDATED.test(error.message);
}
