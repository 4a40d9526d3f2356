import type { Kysely } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { isReserved } from '../../../contract/control-plane/reserved-names.ts';
import type { Secret } from '../../../contract/control-plane/sources.ts';
import { invalid } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import { associatedData } from './associated-data.ts';
import type { SecretBox } from './secret-box.ts';
import { Names, type SecretNames } from './secret-names.ts';

const Values = z.record(z.string(), z.string());

/** Stores the secrets of deployments, encrypted. A set has all secrets of a revision, and never changes. */
export class SecretStore {
  readonly #db: StateDatabase;
  readonly #box: SecretBox;
  readonly #secretNames: SecretNames;

  /** @param secretNames is notified when names may have changed. */
  constructor(db: StateDatabase, box: SecretBox, secretNames: SecretNames) {
    this.#db = db;
    this.#box = box;
    this.#secretNames = secretNames;
  }

  /**
   * The values of a new set, by name. An empty value keeps the value of the previous set, if it has one,
   * because clients cannot read values.
   * @throws HttpError 422 for reserved names.
   */
  async resolve(secrets: readonly Secret[], previousSetId: string | null): Promise<Record<string, string>> {
    for (const [index, { name }] of secrets.entries()) {
      if (isReserved(name)) {
        throw invalid(
          ['body', 'secrets', index, 'name'],
          `'${name}' is reserved for the platform. Choose another name.`,
          'reserved_name',
        );
      }
    }
    const previous = secrets.some(({ value }) => value === '') ? await this.read(previousSetId) : {};
    return Object.fromEntries(
      secrets.map(({ name, value }) => [name, value === '' ? (previous[name] ?? '') : value]),
    );
  }

  /** Stores a set. @returns its ID, or null for no values. */
  async store(
    db: Kysely<StateSchema>,
    deploymentId: string,
    values: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    if (Object.keys(values).length === 0) return null;
    const id = uuidv7();
    await db
      .insertInto('secret_sets')
      .values({
        id,
        deployment_id: deploymentId,
        names: JSON.stringify(Object.keys(values)),
        sealed: this.#box.seal(JSON.stringify(values), associatedData.secretSet(id)),
        created_at: new Date().toISOString(),
      })
      .execute();
    return id;
  }

  /** Reads the names of the secrets in sets, by the ID of the set. */
  async readNames(setIds: readonly (string | null)[]): Promise<Map<string, string[]>> {
    const ids = setIds.filter((id) => id !== null);
    if (ids.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom('secret_sets')
      .select(['id', 'names'])
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map(({ id, names }) => [id, Names.parse(JSON.parse(names))]));
  }

  /** Decrypts a set. @returns its values by name; none for a set that does not exist. @throws SecretBoxError */
  async read(setId: string | null): Promise<Record<string, string>> {
    if (setId === null) return {};
    // Secrets are read before a deployment uses them, and its spans may contain them from then on.
    this.#secretNames.announceChange();
    const row = await this.#db
      .selectFrom('secret_sets')
      .select('sealed')
      .where('id', '=', setId)
      .executeTakeFirst();
    if (row === undefined) return {};
    return Values.parse(JSON.parse(this.#box.open(row.sealed, associatedData.secretSet(setId))));
  }
}
