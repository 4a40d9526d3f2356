import { Client, type ClientConfig, DatabaseError } from 'pg';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { Refused } from '../refused.ts';
import { REFUSALS, type SentStatement } from './postgres-unit.ts';

/** Statements of a transaction that failed before. */
const IN_FAILED_TRANSACTION = '25P02';
/** Deadlocks, and transactions that cannot be put in an order. */
const TRY_AGAIN = new Set(['40P01', '40001']);
const MAX_TRIES = 5;

interface Connection {
  readonly client: Client;
  /** Units that were sent and not answered. */
  unanswered: number;
  /** It had an error after which the client and the server may know different prepared statements. */
  isRetired: boolean;
}

/** A connection on which units follow each other as transactions, each sent as a whole, without waiting for answers. */
export class Lane {
  readonly #config: ClientConfig;
  #connection: Promise<Connection> | undefined;
  /** Names of prepared statements, by text. */
  readonly #names = new Map<string, string>();

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  /** Stores a unit. @throws Refused, DatabaseUnreachable, or the error of the first statement that failed. */
  async store(statements: readonly SentStatement[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      this.#connection ??= this.#connect();
      const connection = await this.#connection;
      if (connection.isRetired) {
        this.#connection = undefined;
        continue;
      }
      const error = await this.#send(connection, statements);
      if (error === undefined) return;
      const code = error instanceof DatabaseError ? error.code : undefined;
      if (code === REFUSALS.stale) throw new Refused('stale');
      if (code === REFUSALS.gone) throw new Refused('gone');
      connection.isRetired = true;
      if (connection.unanswered === 0) void connection.client.end().catch(() => {});
      if (code === undefined) throw new DatabaseUnreachable(error);
      if (!TRY_AGAIN.has(code) || tries === MAX_TRIES) throw error;
    }
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    await connection?.client.end();
  }

  /** @returns the error because of which nothing was stored. */
  async #send(connection: Connection, statements: readonly SentStatement[]): Promise<unknown> {
    const { client } = connection;
    connection.unanswered++;
    const sent = [
      client.query({ name: 'begin', text: 'begin' }),
      ...statements.map(({ text, values, isPrepared }) =>
        client.query(isPrepared ? { name: this.#nameOf(text), text, values } : { text, values }),
      ),
      client.query({ name: 'commit', text: 'commit' }),
    ];
    const answers = await Promise.allSettled(sent);
    connection.unanswered--;
    if (connection.isRetired && connection.unanswered === 0) void client.end().catch(() => {});
    for (const answer of answers) {
      if (answer.status === 'rejected' && !isConsequence(answer.reason)) return answer.reason;
    }
    const last = answers.at(-1);
    const isStored = last?.status === 'fulfilled' && last.value.command === 'COMMIT';
    return isStored ? undefined : new Error('PostgreSQL has rolled back a transaction.');
  }

  async #connect(): Promise<Connection> {
    const client = new Client({ ...this.#config, pipeline: true });
    const connection: Connection = { client, unanswered: 0, isRetired: false };
    client.on('error', () => {
      connection.isRetired = true;
    });
    try {
      await client.connect();
    } catch (error) {
      this.#connection = undefined;
      throw new DatabaseUnreachable(error);
    }
    return connection;
  }

  #nameOf(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `h${this.#names.size}`;
      this.#names.set(text, name);
    }
    return name;
  }
}

function isConsequence(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === IN_FAILED_TRANSACTION;
}
