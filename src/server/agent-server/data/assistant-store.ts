import type { Insertable, Selectable } from 'kysely';
import { v5 as uuidv5 } from 'uuid';
import type { Assistant } from '../../../contract/agent-server/assistants.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import { documentContains } from '../../storage/dialect-expressions.ts';
import { PreparedQuery } from '../../storage/prepared-query.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { AssistantTable, AssistantVersionTable } from '../../storage/state-schema.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Unit } from '../../storage/unit.ts';
import { AssistantCache } from './assistant-cache.ts';

export type AssistantRow = Selectable<AssistantTable>;
export type AssistantVersionRow = Selectable<AssistantVersionTable>;

/** Prepared, because every run may read its assistant. */
const findAssistant = new PreparedQuery<Pick<AssistantRow, 'deployment_id' | 'assistant_id'>, AssistantRow>(
  (db, value) =>
    db
      .selectFrom('assistants')
      .selectAll()
      .where('deployment_id', '=', value('deployment_id'))
      .where('assistant_id', '=', value('assistant_id')),
);

/**
 * The namespace the public servers derive default assistants from
 * (docs/interface/agent-server.md#identity-and-defaults).
 */
const DEFAULT_ASSISTANT_NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

/** The ID of a graph's default assistant, the same on every server. */
export function defaultAssistantId(graphId: string): string {
  // Names come from requests, which may contain unpaired surrogates.
  return uuidv5(graphId.toWellFormed(), DEFAULT_ASSISTANT_NAMESPACE);
}

/** Whether an assistant is the default one of its graph. All users share default assistants. */
export function isDefaultAssistant({
  assistant_id,
  graph_id,
}: Pick<AssistantRow, 'assistant_id' | 'graph_id'>) {
  return assistant_id === defaultAssistantId(graph_id);
}

/** Metadata of default assistants that have not been edited. */
export const MADE_BY_SYSTEM = { created_by: 'system' };

/** The rows of a deployment's assistants and of their versions. */
export class AssistantStore {
  readonly #db: StateDatabase;
  readonly deploymentId: string;
  readonly #cache = new AssistantCache();
  constructor(db: StateDatabase, deploymentId: string) {
    this.#db = db;
    this.deploymentId = deploymentId;
  }

  find(assistantId: string): Promise<Readonly<AssistantRow> | undefined> {
    const read = () =>
      this.#db.find(findAssistant, { deployment_id: this.deploymentId, assistant_id: assistantId });
    // In a team, every call reads the database, because other servers may change assistants.
    return this.#db.remember(read, (readMissing) => this.#cache.find(assistantId, readMissing));
  }

  findVersion(assistantId: string, version: number): Promise<AssistantVersionRow | undefined> {
    return this.#db
      .selectFrom('assistant_versions')
      .selectAll()
      .where('deployment_id', '=', this.deploymentId)
      .where('assistant_id', '=', assistantId)
      .where('version', '=', version)
      .executeTakeFirst();
  }

  /** Unedited default assistants of graphs other than these. */
  findUneditedOfOtherGraphs(graphIds: readonly string[]): Promise<Pick<AssistantRow, 'assistant_id'>[]> {
    return (
      this.#db
        .selectFrom('assistants')
        .select('assistant_id')
        .where('deployment_id', '=', this.deploymentId)
        .where('version', '=', 1)
        .where('metadata', '=', JSON.stringify(MADE_BY_SYSTEM))
        // PostgreSQL allows no empty list, and no graph has an empty ID.
        .where('graph_id', 'not in', [...graphIds, ''])
        .execute()
    );
  }

  /** Versions whose metadata contains the given one, newest first. */
  listVersions(
    assistantId: string,
    { limit, offset, metadata }: { limit: number; offset: number; metadata: JsonObject },
  ): Promise<AssistantVersionRow[]> {
    let query = this.#db
      .selectFrom('assistant_versions')
      .selectAll()
      .where('deployment_id', '=', this.deploymentId)
      .where('assistant_id', '=', assistantId);
    if (Object.keys(metadata).length > 0) query = query.where(documentContains('metadata', metadata));
    return query.orderBy('version', 'desc').limit(limit).offset(offset).execute();
  }

  /** @returns 0 if there is no version. */
  async findNewestVersion(assistantId: string): Promise<number> {
    const row = await this.#db
      .selectFrom('assistant_versions')
      .select((expression) => expression.fn.max('version').as('version'))
      .where('deployment_id', '=', this.deploymentId)
      .where('assistant_id', '=', assistantId)
      .executeTakeFirst();
    return row?.version ?? 0;
  }

  /** Stores an assistant with its first version. The unit is refused as stale if the assistant exists. */
  insert(unit: Unit, row: Insertable<AssistantTable>): void {
    this.#cache.forget();
    unit.expect(
      unit.build
        .insertInto('assistants')
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
      'stale',
    );
    this.insertVersion(unit, row);
  }

  /** Stores another version. The unit is refused as stale if the version exists. */
  insertVersion(unit: Unit, row: Insertable<AssistantTable>): void {
    const { updated_at, ...version } = row;
    unit.expect(
      unit.build
        .insertInto('assistant_versions')
        .values({ ...version, created_at: updated_at })
        .onConflict((conflict) => conflict.doNothing()),
      'stale',
    );
  }

  /**
   * Makes a version active: its fields are copied to the assistant's row.
   * @param seen the version that was active when it was read; the unit is refused as stale if that has
   * changed.
   */
  activate(
    unit: Unit,
    seen: number,
    version: Pick<
      AssistantVersionRow,
      'assistant_id' | 'version' | 'graph_id' | 'name' | 'description' | 'config' | 'context' | 'metadata'
    >,
  ): void {
    const { assistant_id, ...fields } = version;
    this.#cache.forget();
    unit.expect(
      unit.build
        .updateTable('assistants')
        .set({ ...fields, updated_at: new Date().toISOString() })
        .where('deployment_id', '=', this.deploymentId)
        .where('assistant_id', '=', assistant_id)
        .where('version', '=', seen),
      'stale',
    );
  }

  /** Deletes a default assistant. The unit is refused as stale if it has been edited or deleted. */
  deleteUnedited(unit: Unit, assistantId: string): void {
    this.#cache.forget();
    unit.expect(
      unit.build
        .deleteFrom('assistants')
        .where('deployment_id', '=', this.deploymentId)
        .where('assistant_id', '=', assistantId)
        .where('version', '=', 1)
        .where('metadata', '=', JSON.stringify(MADE_BY_SYSTEM)),
      'stale',
    );
  }

  delete(unit: Unit, assistantId: string): void {
    this.#cache.forget();
    unit.do(
      unit.build
        .deleteFrom('assistants')
        .where('deployment_id', '=', this.deploymentId)
        .where('assistant_id', '=', assistantId),
    );
  }
}

/** An assistant, or one version of it, in the wire format. */
export function toAssistant(row: AssistantRow | (AssistantVersionRow & { updated_at?: string })): Assistant {
  return {
    assistant_id: row.assistant_id,
    graph_id: row.graph_id,
    name: row.name,
    description: row.description,
    config: parseStored(row.config),
    context: parseStored(row.context),
    metadata: parseStored(row.metadata),
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at ?? row.created_at,
  };
}
