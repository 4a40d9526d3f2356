import { type ClientConfig, DatabaseError } from 'pg';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { Refused } from '../../storage/refused.ts';
import type { Waiting } from '../../storage/unit.ts';
import { isUnreachable, LOCK_NOT_AVAILABLE } from './error-kinds.ts';
import { REFUSALS, type SentStatement } from './postgres-unit.ts';
import { ResponseTimeoutError, type ResponseTimeouts } from './response-timeouts.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { UnitConnection } from './unit-connection.ts';

/** Codes of `harbor_begin`. */
const TAKEN_OVER = 'AH003';
const STORED_ALREADY = 'AH004';
const BEGIN = 'select harbor_begin($1, $2, $3, $4)';
/** Deadlocks, serialization failures, and statements that the connection no longer has prepared. */
const TRY_AGAIN = new Set(['40P01', '40001', '26000']);
/**
 * A lock was not obtained in time, or a statement was canceled by hand: the unit is tried again as long as it
 * may wait.
 */
const HELD_UP = new Set([LOCK_NOT_AVAILABLE, '57014']);
const MAX_TRIES = 5;
/** How many times a unit may break its connection, for example because it is too large, or crashes PostgreSQL. */
const MAX_LOSSES = 5;
/**
 * The SQLSTATE class of connection exceptions, which PostgreSQL may report after a unit has broken its
 * connection.
 */
const CONNECTION_EXCEPTION = '08';
/**
 * How long PostgreSQL may be silent. A unit that takes longer, such as one that waits for locks, is resent on
 * another connection with twice the time. There, the second attempt waits for the first one, which has the
 * same number.
 */
const ANSWER_MS = 10_000;

/** Statements that are executed together, and what they are about, such as a thread. */
export interface SentUnit {
  readonly statements: readonly SentStatement[];
  readonly subject: string | undefined;
  readonly waiting: Waiting;
}

export interface LaneOptions {
  readonly config: ClientConfig;
  /** The server's number among those that use the database. */
  readonly node: number;
  readonly lane: number;
  readonly retryPolicy: RetryPolicy;
  readonly limits: ResponseTimeouts;
  /** Called each time the database cannot be reached. */
  onAway(error: DatabaseUnreachable): void;
  /** Called when PostgreSQL refuses this server's units, because another server has taken over. */
  onTakenOver(): void;
}

/** The state of a unit that is resent until it is stored. */
interface Attempt {
  readonly number: number;
  /** How long PostgreSQL may take to answer. */
  limitMs: number;
  /** How many times the unit has broken its connection. */
  losses: number;
}

/** Thrown when a unit breaks every connection over which it is sent, so that it can never be stored. */
class BrokenConnections extends Error {
  override readonly name = 'BrokenConnections';

  constructor(cause: unknown) {
    super(
      `The connection to PostgreSQL broke each of the ${MAX_LOSSES} times that this was to be stored. The log of PostgreSQL says why.`,
      { cause },
    );
  }
}

/** A connection that stores one unit at a time, as a transaction sent as a whole. */
export class Lane {
  readonly #options: LaneOptions;
  #connection: Promise<UnitConnection> | undefined;
  /** Units are numbered, so that a unit that is resent after a broken connection is stored once. */
  #units = 0;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /**
   * Stores a unit, and tries again after temporary failures as long as the unit may wait.
   * @throws Refused, DatabaseUnreachable, BrokenConnections, or the error of the first statement that failed.
   */
  async store(unit: SentUnit): Promise<void> {
    const attempt: Attempt = { number: ++this.#units, limitMs: ANSWER_MS, losses: 0 };
    for (let tries = 1; ; ) {
      const { error, wasSent } = await this.#try(attempt, unit);
      const code = codeOf(error);
      if (error === undefined || code === STORED_ALREADY) return;
      if (code === REFUSALS.stale) throw new Refused('stale');
      if (code === REFUSALS.gone) throw new Refused('gone');
      // After any other error, the two sides may disagree about prepared statements.
      void this.#dropConnection();
      if (code === TAKEN_OVER) {
        this.#isClosed = true;
        this.#options.onTakenOver();
        throw new DatabaseUnreachable(error);
      }
      if (isUnreachable(error)) {
        noteLoss(attempt, error, wasSent);
        await this.#waitAfter(new DatabaseUnreachable(error), unit.waiting);
      } else if (code !== undefined && HELD_UP.has(code)) await this.#waitBehind(error, unit.waiting);
      else if (code === undefined || !TRY_AGAIN.has(code) || ++tries > MAX_TRIES) throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await ifOpened(this.#connection);
    this.#connection = undefined;
    await connection?.end();
  }

  /** @throws DatabaseUnreachable when the unit must not wait any longer. */
  async #waitAfter(error: DatabaseUnreachable, waiting: Waiting): Promise<void> {
    const { retryPolicy } = this.#options;
    const giveUpIfOver = () => {
      // Units that wait for a lane learn of the failure here, because they make no attempts of their own.
      this.#options.onAway(error);
      if (this.#isClosed || retryPolicy.isOver(waiting)) throw error;
    };
    giveUpIfOver();
    waiting.onAway?.(retryPolicy.givenUpBefore);
    await retryPolicy.pause(waiting.since);
    if (retryPolicy.isEnded) giveUpIfOver();
  }

  /**
   * @throws the error once the unit must not wait any longer; DatabaseUnreachable when the server stops, so that the
   * run is left to other servers.
   */
  async #waitBehind(error: unknown, waiting: Waiting): Promise<void> {
    const { retryPolicy } = this.#options;
    if (retryPolicy.isEnded) throw new DatabaseUnreachable(error);
    if (retryPolicy.isOver(waiting)) throw error;
    await retryPolicy.pause(waiting.since);
  }

  /**
   * Tries once to store a unit.
   * @returns the error because of which nothing was stored, or because of which it is unknown whether
   * anything was; and whether the unit was sent.
   */
  async #try(
    { number, limitMs }: Attempt,
    { statements, subject }: SentUnit,
  ): Promise<{ readonly error: unknown; readonly wasSent: boolean }> {
    const { config, node, lane, limits } = this.#options;
    let wasSent = false;
    try {
      this.#connection ??= UnitConnection.open(config, limits);
      const connection = await this.#connection;
      wasSent = true;
      await connection.store(
        [{ text: BEGIN, values: [node, lane, number, subject ?? null], isPrepared: true }, ...statements],
        limitMs,
      );
      return { error: undefined, wasSent };
    } catch (error) {
      return { error, wasSent };
    }
  }

  async #dropConnection(): Promise<void> {
    const left = this.#connection;
    this.#connection = undefined;
    const connection = await ifOpened(left);
    await connection?.end();
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/**
 * Counts a broken connection, or gives PostgreSQL more time if it did not answer.
 * @throws BrokenConnections when the unit has broken too many connections.
 */
function noteLoss(attempt: Attempt, error: unknown, wasSent: boolean): void {
  if (error instanceof ResponseTimeoutError) {
    attempt.limitMs *= 2;
    return;
  }
  const code = codeOf(error);
  const isBroken = code === undefined || code.startsWith(CONNECTION_EXCEPTION);
  if (!wasSent || !isBroken) return;
  attempt.losses++;
  if (attempt.losses === MAX_LOSSES) throw new BrokenConnections(error);
}

/** The connection, once it is open; undefined if it could not be opened. */
async function ifOpened(
  connection: Promise<UnitConnection> | undefined,
): Promise<UnitConnection | undefined> {
  return connection?.catch(() => undefined);
}
