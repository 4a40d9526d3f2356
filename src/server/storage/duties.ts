import type { Kysely } from 'kysely';
import type { StateSchema } from './state-schema.ts';

/** Another server has the duty now, so the pending write of this one is not stored. */
export class DutyLost extends Error {
  override readonly name = 'DutyLost';
  constructor(name: string) {
    super(`Another server does '${name}' now.`);
  }
}

/**
 * Work that one of the servers of a database does at a time, by name, such as `deployment:<id>`. A duty belongs to
 * a server until it is released, or others take over from that server; within the server, its taker makes sure
 * that the work is done once.
 */
export abstract class Duties {
  /** @returns whether this server has the duty now. */
  abstract take(name: string): Promise<boolean>;

  /** Gives a duty back; does nothing when this server does not have it. */
  abstract release(name: string): Promise<void>;

  /**
   * The duties that other servers have, among those with this prefix. Only its taker knows whether this server has
   * a duty, because it may be stored although the answer was lost.
   */
  abstract takenElsewhere(prefix: string): Promise<ReadonlySet<string>>;

  /**
   * Writes that are stored together, and only while this server has the duty.
   * @throws DutyLost
   */
  abstract write<Result>(name: string, work: (db: Kysely<StateSchema>) => Promise<Result>): Promise<Result>;

  /** Waits for a duty. @throws the signal's reason when aborted while it waits. */
  abstract wait(name: string, signal?: AbortSignal): Promise<void>;
}

/** The duties of a server with a database of its own: it has all of them. */
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
