import type { Grant } from '../http/grant.ts';
import type { Identity } from '../identity/identity.ts';
import { hashApiKey, newApiKey } from '../identity/keys.ts';
import type { StateDatabase } from '../storage/state-database.ts';

/** The settings with the hashes of keys of servers, each behind the server's name. */
const SETTING = 'server-key:';

export interface ServerKeyOptions {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly grant: Grant;
}

/**
 * Keys of servers that share a database: each makes its own when it starts, which no other one can know, since only their
 * hashes are stored. They are good as long as their server is there.
 */
export class ServerKeys {
  readonly #db: StateDatabase;
  readonly #identity: Identity;

  constructor(db: StateDatabase, identity: Identity) {
    this.#db = db;
    this.#identity = identity;
  }

  /** Makes a key for this server. */
  async make({ organizationId, workspaceId, name, grant }: ServerKeyOptions): Promise<string> {
    const key = newApiKey();
    // Noted first, so that the key of a server that is killed in between is found too.
    await this.#db
      .insertInto('settings')
      .values({ name: `${SETTING}${this.#db.node}:${hashApiKey(key)}`, value: hashApiKey(key) })
      .execute();
    return this.#identity.createKey({ organizationId, workspaceIds: [workspaceId], name, grant, key });
  }

  /** Deletes the keys of servers that are gone. Call it in turn with other servers. */
  async deleteLeft(): Promise<void> {
    const noted = await this.#db
      .selectFrom('settings')
      .selectAll()
      .where('name', '>', SETTING)
      .where('name', '<', `${SETTING}~`)
      .execute();
    const servers = await this.#db.listServers();
    const left = noted.filter(({ name }) => !servers.has(name.split(':')[1] ?? ''));
    if (left.length === 0) return;
    await this.#db.transaction().execute(async (transaction) => {
      const [names, hashes] = [left.map(({ name }) => name), left.map(({ value }) => value)];
      await transaction.deleteFrom('api_keys').where('hash', 'in', hashes).execute();
      await transaction.deleteFrom('settings').where('name', 'in', names).execute();
    });
    await this.#identity.forget();
  }
}
