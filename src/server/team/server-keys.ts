import type { Grant } from '../http/grant.ts';
import type { Identity } from '../identity/identity.ts';
import { hashApiKey, newApiKey } from '../identity/keys.ts';
import type { StateDatabase } from '../storage/state-database.ts';

/** The prefix of the settings with the hashes of servers' keys; it is followed by the server's name. */
const SETTING = 'server-key:';

interface ServerKeyOptions {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly grant: Grant;
}

/**
 * Keys of servers that share a database: each server creates its own at the start, and only their hashes are stored, so
 * no other server knows them. The keys are valid while their server exists.
 */
export class ServerKeys {
  readonly #db: StateDatabase;
  readonly #identity: Identity;

  constructor(db: StateDatabase, identity: Identity) {
    this.#db = db;
    this.#identity = identity;
  }

  /** Creates a key for this server. */
  async make({ organizationId, workspaceId, name, grant }: ServerKeyOptions): Promise<string> {
    const key = newApiKey();
    // The hash is recorded first, so that the key of a server that is killed in between can be found too.
    await this.#db
      .insertInto('settings')
      .values({ name: `${SETTING}${this.#db.node}:${hashApiKey(key)}`, value: hashApiKey(key) })
      .execute();
    return this.#identity.createKey({ organizationId, workspaceIds: [workspaceId], name, grant, key });
  }

  /** Deletes the keys of servers that have ended. Servers must do this one after the other. */
  async deleteStale(): Promise<void> {
    const recorded = await this.#db
      .selectFrom('settings')
      .selectAll()
      .where('name', '>', SETTING)
      .where('name', '<', `${SETTING}~`)
      .execute();
    const servers = await this.#db.listServers();
    const stale = recorded.filter(({ name }) => !servers.has(name.split(':')[1] ?? ''));
    if (stale.length === 0) return;
    await this.#db.transaction().execute(async (transaction) => {
      const [names, hashes] = [stale.map(({ name }) => name), stale.map(({ value }) => value)];
      await transaction.deleteFrom('api_keys').where('hash', 'in', hashes).execute();
      await transaction.deleteFrom('settings').where('name', 'in', names).execute();
    });
    await this.#identity.applyKeyChanges();
  }
}
