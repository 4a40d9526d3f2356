import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig, DatabaseError } from 'pg';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { Refused } from '../refused.ts';
import { REFUSALS, type SentStatement } from './postgres-unit.ts';
import { StatementNames } from './statement-names.ts';
import { isUnreachable } from './unreachable.ts';

/** Codes of `harbor_begin`. */
const TAKEN_OVER = 'AH003';
const STORED_ALREADY = 'AH004';
/** Statements of a transaction that failed before. */
const IN_FAILED_TRANSACTION = '25P02';
/** Deadlocks, transactions that cannot be put in an order, and statements that the connection has prepared no more. */
const TRY_AGAIN = new Set(['40P01', '40001', '26000']);
const MAX_TRIES = 5;
/** How long a unit waits for a database that cannot be reached. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;

/** Statements that are stored together, and what they are about, such as a thread. */
export interface SentUnit {
  readonly statements: readonly SentStatement[];
  readonly subject: string | undefined;
}

export interface LaneOptions {
  readonly config: ClientConfig;
  /** The server's number among those that use the database. */
  readonly node: number;
  readonly lane: number;
  /** Called when units of this server are not stored any more. */
  onTakenOver(): void;
}

/** A connection that stores one unit at a time, as a transaction that is sent whole. */
export class Lane {
  readonly #options: LaneOptions;
  #client: Promise<Client> | undefined;
  /** Units are numbered, so that one that is sent again after its connection broke is stored once. */
  #units = 0;
  #isClosed = false;
  readonly #names = new StatementNames();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** @throws Refused, DatabaseUnreachable, or the error of the first statement that failed. */
  async store(unit: SentUnit): Promise<void> {
    const number = ++this.#units;
    const began = Date.now();
    for (let tries = 1; ; ) {
      const error = await this.#try(number, unit);
      if (error === undefined) return;
      const code = error instanceof DatabaseError ? error.code : undefined;
      if (code === STORED_ALREADY) return;
      if (code === REFUSALS.stale) throw new Refused('stale');
      if (code === REFUSALS.gone) throw new Refused('gone');
      // After other errors, this side and the server may know different prepared statements.
      this.#leave();
      if (code === TAKEN_OVER) {
        this.#isClosed = true;
        this.#options.onTakenOver();
        throw new DatabaseUnreachable(error);
      }
      if (isUnreachable(error)) {
        if (this.#isClosed || Date.now() - began > PATIENCE_MS) throw new DatabaseUnreachable(error);
        await sleep(PAUSE_MS);
      } else if (code === undefined || !TRY_AGAIN.has(code) || ++tries > MAX_TRIES) throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  /** @returns the error because of which nothing was stored, or because of which that is not known. */
  async #try(number: number, { statements, subject }: SentUnit): Promise<unknown> {
    let client: Client;
    try {
      this.#client ??= this.#connect();
      client = await this.#client;
    } catch (error) {
      return error;
    }
    const { node, lane } = this.#options;
    const begin = 'select harbor_begin($1, $2, $3, $4)';
    const sent = [
      client.query({ name: 'begin', text: 'begin' }),
      client.query({ name: 'harbor_begin', text: begin, values: [node, lane, number, subject ?? null] }),
      ...statements.map(({ text, values, isPrepared }) =>
        client.query(isPrepared ? { name: this.#names.of(text), text, values } : { text, values }),
      ),
      client.query({ name: 'commit', text: 'commit' }),
    ];
    const answers = await Promise.allSettled(sent);
    for (const answer of answers) {
      if (answer.status === 'rejected' && !isConsequence(answer.reason)) return answer.reason;
    }
    const last = answers.at(-1);
    const isStored = last?.status === 'fulfilled' && last.value.command === 'COMMIT';
    return isStored ? undefined : new Error('PostgreSQL has rolled back a transaction.');
  }

  async #connect(): Promise<Client> {
    const client = new Client({ ...this.#options.config, pipeline: true });
    // What is sent next says so.
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  #leave(): void {
    const left = this.#client;
    this.#client = undefined;
    void left?.then((client) => client.end()).catch(() => {});
  }
}

function isConsequence(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === IN_FAILED_TRANSACTION;
}
