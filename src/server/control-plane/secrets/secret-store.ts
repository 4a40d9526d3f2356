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

/** Secrets of deployments, in sets, encrypted at rest. */
export class SecretStore {
  readonly #db: StateDatabase;
  readonly #box: SecretBox;
  readonly #known: SecretNames;

  /** @param known notified when names may have changed. */
  constructor(db: StateDatabase, box: SecretBox, known: SecretNames) {
    this.#db = db;
    this.#box = box;
    this.#known = known;
  }

  /**
   * The values of a new set. An empty value keeps the earlier one, because clients cannot read values back.
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

  /** Stores a set. @returns its id, or null when there is nothing to store. */
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

  /** The names of sets, by set. */
  async names(setIds: readonly (string | null)[]): Promise<Map<string, string[]>> {
    const ids = setIds.filter((id) => id !== null);
    if (ids.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom('secret_sets')
      .select(['id', 'names'])
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map(({ id, names }) => [id, Names.parse(JSON.parse(names))]));
  }

  /** Names and values of a set. @throws SecretBoxError */
  async read(setId: string | null): Promise<Record<string, string>> {
    if (setId === null) return {};
    // The secrets are read because they are about to be used, so spans may soon contain them.
    this.#known.forget();
    const row = await this.#db
      .selectFrom('secret_sets')
      .select('sealed')
      .where('id', '=', setId)
      .executeTakeFirst();
    if (row === undefined) return {};
    return Values.parse(JSON.parse(this.#box.open(row.sealed, associatedData.secretSet(setId))));
  }
}
