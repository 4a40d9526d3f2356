import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import type {
  Assistant,
  AssistantCount,
  AssistantCreate,
  AssistantPatch,
  AssistantSearch,
} from '../../../contract/agent-server/assistants.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import { conflict, HttpError, notFound } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import { containsJson } from '../../storage/contains-json.ts';
import { containsText } from '../../storage/contains-text.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { DeploymentChanges } from '../deployment-changes.ts';
import {
  type AssistantRow,
  type AssistantStore,
  defaultAssistantId,
  toAssistant,
} from './assistant-store.ts';

export interface AssistantsOptions {
  readonly db: StateDatabase;
  readonly store: AssistantStore;
  readonly runtime: DeploymentRuntime;
  readonly changes: DeploymentChanges;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly total: number;
}

/** Assistants of one deployment: versioned configurations of its graphs. */
export class Assistants {
  readonly #options: AssistantsOptions;
  readonly #store: AssistantStore;
  /** Cached default assistants, because most runs refer to the graph. */
  readonly #defaults = new Map<string, string>();

  constructor(options: AssistantsOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /** Creates the default assistants of all graphs, and deletes unedited ones of removed graphs. */
  async syncDefaults(graphs: Readonly<Record<string, { description?: string }>>): Promise<void> {
    const { db, store } = this.#options;
    await db.commit((transaction) => {
      for (const [graphId, { description }] of Object.entries(graphs)) {
        const assistantId = defaultAssistantId(graphId);
        this.#defaults.set(graphId, assistantId);
        if (store.findNow(transaction, assistantId) !== undefined) continue;
        store.insert(
          transaction,
          this.#newRow(assistantId, graphId, { created_by: 'system' }, { description }),
        );
        this.#changed('created', assistantId);
      }
      const gone = transaction.all(
        transaction.build
          .selectFrom('assistants')
          .select('assistant_id')
          .where('deployment_id', '=', store.deploymentId)
          .where('version', '=', 1)
          .where('metadata', '=', JSON.stringify({ created_by: 'system' }))
          .where('graph_id', 'not in', [...Object.keys(graphs), '']),
      );
      for (const { assistant_id } of gone) {
        store.delete(transaction, assistant_id);
        this.#changed('deleted', assistant_id);
      }
    });
  }

  /**
   * Finds the assistant of an ID or graph ID.
   * @throws HttpError 404
   */
  async resolve(ref: string): Promise<AssistantRow> {
    const id = isUuid(ref) ? ref.toLowerCase() : (this.#defaults.get(ref) ?? defaultAssistantId(ref));
    const known = await this.#store.find(id);
    if (known !== undefined) return known;
    // After a start, graphs may still be loading, and their default assistants may be missing.
    if (this.#options.runtime.state.state === 'starting') {
      await this.#options.runtime.ready().catch(() => {});
      const late = await this.#store.find(id);
      if (late !== undefined) return late;
    }
    throw isUuid(ref) ? notFound('Assistant', ref) : this.#noGraph('Assistant or graph', ref);
  }

  async get(ref: string): Promise<Assistant> {
    return toAssistant(await this.resolve(ref));
  }

  /** @throws HttpError 404 for a graph that does not exist, 409 for an id that does. */
  async create(request: AssistantCreate): Promise<Assistant> {
    await this.#requireGraph(request.graph_id);
    const assistantId = request.assistant_id ?? uuidv7();
    const existing = await this.#store.find(assistantId);
    if (existing !== undefined) {
      if (request.if_exists === 'do_nothing') return toAssistant(existing);
      throw conflict(`Assistant '${assistantId}' already exists.`);
    }
    const row = this.#newRow(assistantId, request.graph_id, request.metadata, {
      config: request.config,
      context: request.context,
      name: request.name ?? undefined,
      description: request.description ?? undefined,
    });
    await this.#options.db.commit((transaction) => this.#store.insert(transaction, row));
    this.#changed('created', assistantId);
    return toAssistant(row);
  }

  /**
   * Creates a new version and activates it. `context` and `config` are replaced as a whole, absent fields are
   * carried over, `metadata` is merged (docs/interface/agent-server.md#assistants).
   */
  async update(ref: string, patch: AssistantPatch): Promise<Assistant> {
    const { assistant_id } = await this.resolve(ref);
    if (patch.graph_id != null) await this.#requireGraph(patch.graph_id);
    const updated = await this.#options.db.commit((transaction) => {
      const own = this.#store;
      const current = own.findNow(transaction, assistant_id);
      if (current === undefined) throw notFound('Assistant', ref);
      const row: AssistantRow = {
        ...current,
        version: own.newestVersion(transaction, assistant_id) + 1,
        graph_id: patch.graph_id ?? current.graph_id,
        name: patch.name ?? current.name,
        description: patch.description ?? current.description,
        config: patch.config == null ? current.config : JSON.stringify(patch.config),
        context: patch.context == null ? current.context : JSON.stringify(patch.context),
        metadata: JSON.stringify({ ...parseStored(current.metadata), ...patch.metadata }),
        updated_at: new Date().toISOString(),
      };
      own.insertVersion(transaction, row);
      own.activate(transaction, pickVersion(row));
      return row;
    });
    this.#changed('updated', assistant_id);
    return toAssistant(updated);
  }

  /** @throws HttpError 404 for a version that does not exist. */
  async setLatest(ref: string, version: number): Promise<Assistant> {
    const { assistant_id } = await this.resolve(ref);
    const row = await this.#store.findVersion(assistant_id, version);
    if (row === undefined) throw new HttpError(404, `Assistant '${assistant_id}' has no version ${version}.`);
    await this.#options.db.now((now) => this.#store.activate(now, pickVersion(row)));
    this.#changed('updated', assistant_id);
    return this.get(assistant_id);
  }

  async versions(
    ref: string,
    request: { limit: number; offset: number; metadata: JsonObject },
  ): Promise<Assistant[]> {
    const { assistant_id } = await this.resolve(ref);
    const rows = await this.#store.versions(assistant_id, request.limit, request.offset);
    return rows.filter((row) => containsJson(JSON.parse(row.metadata), request.metadata)).map(toAssistant);
  }

  /** Deletes an assistant with all versions. The default assistant of a graph is created again immediately. */
  async delete(ref: string): Promise<void> {
    const { assistant_id } = await this.resolve(ref);
    await this.#options.db.commit((transaction) => this.#store.delete(transaction, assistant_id));
    this.#changed('deleted', assistant_id);
    await this.syncDefaults(this.#options.runtime.project?.graphs ?? {});
  }

  async search(request: AssistantSearch): Promise<Page<Assistant>> {
    const column = request.sort_by ?? 'created_at';
    const rows = await this.#matching(request)
      .selectAll()
      .orderBy(column, request.sort_order ?? 'desc')
      .orderBy('assistant_id')
      .limit(request.limit)
      .offset(request.offset)
      .execute();
    return { items: rows.map(toAssistant), total: await this.count(request) };
  }

  async count(filter: AssistantCount): Promise<number> {
    const row = await this.#matching(filter)
      .select((expression) => expression.fn.countAll<number>().as('count'))
      .executeTakeFirst();
    return row?.count ?? 0;
  }

  #matching(filter: AssistantCount) {
    const { metadata, graph_id, name } = filter;
    let query = this.#options.db
      .selectFrom('assistants')
      .where('deployment_id', '=', this.#store.deploymentId);
    if (graph_id != null) query = query.where('graph_id', '=', graph_id);
    if (name != null) query = query.where(containsText('name', name));
    if (metadata != null && Object.keys(metadata).length > 0) {
      query = query.where((expression) =>
        expression(
          expression.fn<number>('json_contains', [
            expression.ref('metadata'),
            expression.val(JSON.stringify(metadata)),
          ]),
          '=',
          1,
        ),
      );
    }
    return query;
  }

  async #requireGraph(graphId: string): Promise<void> {
    const { runtime } = this.#options;
    if (runtime.state.state === 'starting') await runtime.ready().catch(() => {});
    if (!Object.hasOwn(runtime.project?.graphs ?? {}, graphId)) throw this.#noGraph('Graph', graphId);
  }

  #noGraph(what: string, ref: string): HttpError {
    const known = Object.keys(this.#options.runtime.project?.graphs ?? {});
    return new HttpError(
      404,
      `${what} '${ref}' not found. Graphs in langgraph.json: ${known.join(', ') || 'none'}.`,
    );
  }

  #newRow(
    assistantId: string,
    graphId: string,
    metadata: JsonObject,
    fields: {
      config?: JsonObject;
      context?: JsonObject;
      name?: string | undefined;
      description?: string | undefined;
    },
  ): AssistantRow {
    const now = new Date().toISOString();
    return {
      assistant_id: assistantId,
      deployment_id: this.#store.deploymentId,
      version: 1,
      graph_id: graphId,
      name: fields.name ?? graphId,
      description: fields.description ?? null,
      config: JSON.stringify(fields.config ?? {}),
      context: JSON.stringify(fields.context ?? {}),
      metadata: JSON.stringify(metadata),
      created_at: now,
      updated_at: now,
    };
  }

  #changed(action: 'created' | 'updated' | 'deleted', id: string): void {
    this.#options.changes.publish('assistant', action, id);
  }
}

function pickVersion({
  assistant_id,
  version,
  graph_id,
  name,
  description,
  config,
  context,
  metadata,
}: Omit<AssistantRow, 'updated_at' | 'created_at'>) {
  return { assistant_id, version, graph_id, name, description, config, context, metadata };
}
