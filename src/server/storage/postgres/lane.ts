import { type ClientConfig, DatabaseError } from 'pg';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { Refused } from '../refused.ts';
import type { OnAway } from '../unit.ts';
import type { Patience } from './patience.ts';
import { REFUSALS, type SentStatement } from './postgres-unit.ts';
import { UnitConnection } from './unit-connection.ts';
import { isUnreachable } from './unreachable.ts';

/** Codes of `harbor_begin`. */
const TAKEN_OVER = 'AH003';
const STORED_ALREADY = 'AH004';
const BEGIN = 'select harbor_begin($1, $2, $3, $4)';
/** Deadlocks, transactions that cannot be put in an order, and statements that the connection has prepared no more. */
const TRY_AGAIN = new Set(['40P01', '40001', '26000']);
const MAX_TRIES = 5;

/** Statements that are stored together, and what they are about, such as a thread. */
export interface SentUnit {
  readonly statements: readonly SentStatement[];
  readonly subject: string | undefined;
  /** Given where it outlasts that the database cannot be reached. */
  readonly onAway: OnAway | undefined;
}

export interface LaneOptions {
  readonly config: ClientConfig;
  /** The server's number among those that use the database. */
  readonly node: number;
  readonly lane: number;
  readonly patience: Patience;
  /** Called each time that the database could not be reached. */
  onAway(error: DatabaseUnreachable): void;
  /** Called when units of this server are not stored any more. */
  onTakenOver(): void;
}

/** A connection that stores one unit at a time, as a transaction that is sent whole. */
export class Lane {
  readonly #options: LaneOptions;
  #connection: Promise<UnitConnection> | undefined;
  /** Units are numbered, so that one that is sent again after its connection broke is stored once. */
  #units = 0;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /**
   * @param since when it began to wait for a lane, as `performance.now` says it.
   * @throws Refused, DatabaseUnreachable, or the error of the first statement that failed.
   */
  async store(unit: SentUnit, since: number): Promise<void> {
    const number = ++this.#units;
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
        await this.#waitAfter(new DatabaseUnreachable(error), unit, since);
      } else if (code === undefined || !TRY_AGAIN.has(code) || ++tries > MAX_TRIES) throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    await connection?.end().catch(() => {});
  }

  /** @throws DatabaseUnreachable when the unit waits no more. */
  async #waitAfter(error: DatabaseUnreachable, { onAway }: SentUnit, since: number): Promise<void> {
    const { patience } = this.#options;
    if (this.#isClosed || patience.isOver(since, onAway !== undefined)) throw error;
    onAway?.(patience.isOver(since, false));
    this.#options.onAway(error);
    await patience.pause();
  }

  /** @returns the error because of which nothing was stored, or because of which that is not known. */
  async #try(number: number, { statements, subject }: SentUnit): Promise<unknown> {
    const { config, node, lane } = this.#options;
    try {
      this.#connection ??= UnitConnection.open(config);
      const connection = await this.#connection;
      await connection.store([
        { text: BEGIN, values: [node, lane, number, subject ?? null], isPrepared: true },
        ...statements,
      ]);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #leave(): void {
    const left = this.#connection;
    this.#connection = undefined;
    void left?.then((connection) => connection.end()).catch(() => {});
  }
}
