import type { Kysely } from 'kysely';
import type { StateSchema } from './state-schema.ts';

/** Another server now has the duty, so this server's pending write was not stored. */
export class DutyLostError extends Error {
  override readonly name = 'DutyLostError';
  constructor(name: string) {
    super(`Another server does '${name}' now.`);
  }
}

/**
 * Duties: named work that only one server of a database does at a time, such as `deployment:<id>`. A server keeps a duty
 * until it releases it, or until another server takes over its work. `take` also succeeds for a duty that this server already
 * has, so callers must prevent doing the work twice.
 */
export abstract class Duties {
  /** Takes a duty, unless another server has it. @returns whether this server has it now. */
  abstract take(name: string): Promise<boolean>;

  /** Gives a duty back; does nothing if this server does not have it. */
  abstract release(name: string): Promise<void>;

  /** The duties with this prefix that other servers have. */
  abstract listTakenElsewhere(prefix: string): Promise<ReadonlySet<string>>;

  /** Runs writes in a transaction, which is stored only if this server has the duty. @throws DutyLostError */
  abstract write<Result>(name: string, work: (db: Kysely<StateSchema>) => Promise<Result>): Promise<Result>;

  /** Takes a duty as soon as no other server has it. @throws the signal's reason when aborted before that. */
  abstract takeWhenFree(name: string, signal?: AbortSignal): Promise<void>;
}

/** The duties of the only server of a database, which has all of them. */
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

  listTakenElsewhere(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set());
  }

  write<Result>(_name: string, work: (db: Kysely<StateSchema>) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute(work);
  }

  async takeWhenFree(_name: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
  }
}
