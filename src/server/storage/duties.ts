import type { Kysely } from 'kysely';
import type { StateSchema } from './state-schema.ts';

/** Another server now has the duty, so this server's pending write was not stored. */
export class DutyLost extends Error {
  override readonly name = 'DutyLost';
  constructor(name: string) {
    super(`Another server does '${name}' now.`);
  }
}

/**
 * Work that only one of the servers of a database does at a time, by name, such as `deployment:<id>`. A duty belongs to
 * a server until it is released, or until others take over from that server. Within the server, the taker makes sure
 * that the work is done only once.
 */
export abstract class Duties {
  /** @returns whether this server has the duty now. */
  abstract take(name: string): Promise<boolean>;

  /** Gives a duty back; does nothing if this server does not have it. */
  abstract release(name: string): Promise<void>;

  /**
   * The duties with this prefix that other servers have. Whether this server itself has a duty is only known to the
   * code that took it, because it may be stored although the response was lost.
   */
  abstract takenElsewhere(prefix: string): Promise<ReadonlySet<string>>;

  /**
   * Writes that are stored together, and only if this server has the duty.
   * @throws DutyLost
   */
  abstract write<Result>(name: string, work: (db: Kysely<StateSchema>) => Promise<Result>): Promise<Result>;

  /** Waits for a duty. @throws the signal's reason when aborted while it waits. */
  abstract wait(name: string, signal?: AbortSignal): Promise<void>;
}

/** The duties of a server with its own database, which has all of them. */
export class OwnDuties extends Duties {
  readonly #db: Kysely<StateSchema>;

  constructor(db: Kysely<StateSchema>) {
    super();
    this.#db = db;
  }

  take(): Promise<boolean> {
    return Promise.resolve(true);
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  takenElsewhere(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set());
  }

  write<Result>(_name: string, work: (db: Kysely<StateSchema>) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute(work);
  }

  wait(): Promise<void> {
    return Promise.resolve();
  }
}
