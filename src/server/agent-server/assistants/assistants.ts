import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import type {
  Assistant,
  AssistantCount,
  AssistantCreate,
  AssistantPatch,
  AssistantSearch,
} from '../../../contract/agent-server/assistants.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import type { RuntimeState } from '../../../contract/harbor.ts';
import { settled } from '../../../process/settled.ts';
import { conflict, HttpError, notFound } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import { containsText } from '../../storage/contains-text.ts';
import { documentContains } from '../../storage/dialect-expressions.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { parseStored } from '../../storage/stored-json.ts';
import {
  type AssistantRow,
  type AssistantStore,
  defaultAssistantId,
  MADE_BY_SYSTEM,
  toAssistant,
} from '../data/assistant-store.ts';
import { lookAndWrite } from '../data/look-and-write.ts';
import type { DeploymentChanges } from '../deployment-changes.ts';

/** The number of assistants that `readAll` reads at a time. */
const PAGE_SIZE = 1000;

type GraphsOfProject = Readonly<Record<string, { description?: string }>>;

export interface AssistantsOptions {
  readonly db: StateDatabase;
  readonly store: AssistantStore;
  readonly runtime: Pick<DeploymentRuntime, 'ready'> & {
    readonly project: { readonly graphs: GraphsOfProject } | undefined;
    readonly state: { readonly state: RuntimeState['state'] };
  };
  readonly changes: Pick<DeploymentChanges, 'publish'>;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly total: number;
}

/** Assistants of one deployment: versioned configurations of its graphs. */
export class Assistants {
  readonly #options: AssistantsOptions;
  readonly #store: AssistantStore;
  /** The default assistants of graphs, cached because most runs name only the graph. */
  readonly #defaults = new Map<string, string>();
  /** Resolves when the default assistants have been created. Until then, some may be missing. */
  #synced: Promise<void> = Promise.resolve();

  constructor(options: AssistantsOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /** Creates the default assistants of all graphs, and deletes unedited ones of removed graphs. */
  syncDefaults(graphs: GraphsOfProject): Promise<void> {
    const syncing = this.#syncDefaults(graphs);
    this.#synced = settled(syncing);
    return syncing;
  }

  async #syncDefaults(graphs: GraphsOfProject): Promise<void> {
    for (const graphId of Object.keys(graphs)) this.#defaults.set(graphId, defaultAssistantId(graphId));
    const { db, store } = this.#options;
    const { missing, gone } = await lookAndWrite(async () => {
      const seen = {
        missing: await this.#findMissingDefaults(graphs),
        gone: await store.findUneditedOfOtherGraphs(Object.keys(graphs)),
      };
      await db.commit((unit) => {
        for (const row of seen.missing) store.insert(unit, row);
        for (const { assistant_id } of seen.gone) store.deleteUnedited(unit, assistant_id);
      });
      return seen;
    });
    for (const { assistant_id } of missing) this.#publishChange('created', assistant_id);
    for (const { assistant_id } of gone) this.#publishChange('deleted', assistant_id);
  }

  async #findMissingDefaults(graphs: GraphsOfProject): Promise<AssistantRow[]> {
    const missing: AssistantRow[] = [];
    for (const [graphId, { description }] of Object.entries(graphs)) {
      const id = defaultAssistantId(graphId);
      if ((await this.#store.find(id)) !== undefined) continue;
      missing.push(this.#makeRow(id, graphId, MADE_BY_SYSTEM, { description }));
    }
    return missing;
  }

  /**
   * Finds the assistant with this ID, or the default assistant of the graph with this ID.
   * @throws HttpError 404
   */
  async resolve(ref: string): Promise<AssistantRow> {
    const id = isUuid(ref) ? ref.toLowerCase() : (this.#defaults.get(ref) ?? defaultAssistantId(ref));
    const known = await this.#store.find(id);
    if (known !== undefined) return known;
    // After a start, graphs may still be loading, and their default assistants may be missing.
    if (this.#options.runtime.state.state === 'starting') await settled(this.#options.runtime.ready());
    await this.#synced;
    const late = await this.#store.find(id);
    if (late !== undefined) return late;
    throw isUuid(ref) ? notFound('Assistant', ref) : this.#noGraph('Assistant or graph', ref);
  }

  async get(ref: string): Promise<Assistant> {
    return toAssistant(await this.resolve(ref));
  }

  /**
   * Creates an assistant with its first version.
   * @throws HttpError 404 if the graph does not exist, 409 if the id exists, unless `if_exists` is `do_nothing`.
   */
  async create(request: AssistantCreate): Promise<Assistant> {
    await this.#requireGraph(request.graph_id);
    const assistantId = request.assistant_id ?? uuidv7();
    return lookAndWrite(async () => {
      const existing = await this.#store.find(assistantId);
      if (existing === undefined) return this.#create(assistantId, request);
      if (request.if_exists === 'do_nothing') return toAssistant(existing);
      throw conflict(`Assistant '${assistantId}' already exists.`);
    });
  }

  async #create(assistantId: string, request: AssistantCreate): Promise<Assistant> {
    const row = this.#makeRow(assistantId, request.graph_id, request.metadata, {
      config: request.config,
      context: request.context,
      name: request.name ?? undefined,
      description: request.description ?? undefined,
    });
    await this.#options.db.commit((unit) => this.#store.insert(unit, row));
    this.#publishChange('created', assistantId);
    return toAssistant(row);
  }

  /**
   * Creates a new version and activates it. `context` and `config` are replaced as a whole, `metadata` is merged, and
   * absent fields keep their values (docs/interface/agent-server.md#assistants).
   */
  async update(ref: string, patch: AssistantPatch): Promise<Assistant> {
    const { assistant_id } = await this.resolve(ref);
    if (patch.graph_id != null) await this.#requireGraph(patch.graph_id);
    const updated = await lookAndWrite(async () => {
      const store = this.#store;
      const current = await store.find(assistant_id);
      if (current === undefined) throw notFound('Assistant', ref);
      const row: AssistantRow = {
        ...current,
        version: (await store.findNewestVersion(assistant_id)) + 1,
        graph_id: patch.graph_id ?? current.graph_id,
        name: patch.name ?? current.name,
        description: patch.description ?? current.description,
        config: patch.config == null ? current.config : JSON.stringify(patch.config),
        context: patch.context == null ? current.context : JSON.stringify(patch.context),
        metadata: JSON.stringify({ ...parseStored(current.metadata), ...patch.metadata }),
        updated_at: new Date().toISOString(),
      };
      await this.#options.db.commit((unit) => {
        store.activate(unit, current.version, pickVersion(row));
        store.insertVersion(unit, row);
      });
      return row;
    });
    this.#publishChange('updated', assistant_id);
    return toAssistant(updated);
  }

  /** Activates an earlier or later version. @throws HttpError 404 if it does not exist. */
  async setLatest(ref: string, version: number): Promise<Assistant> {
    const { assistant_id } = await this.resolve(ref);
    await lookAndWrite(async () => {
      const current = await this.#store.find(assistant_id);
      if (current === undefined) throw notFound('Assistant', ref);
      const row = await this.#store.findVersion(assistant_id, version);
      if (row === undefined)
        throw new HttpError(404, `Assistant '${assistant_id}' has no version ${version}.`);
      await this.#options.db.commit((unit) => this.#store.activate(unit, current.version, pickVersion(row)));
    });
    this.#publishChange('updated', assistant_id);
    return this.get(assistant_id);
  }

  async listVersions(
    ref: string,
    request: { limit: number; offset: number; metadata: JsonObject },
  ): Promise<Assistant[]> {
    const { assistant_id } = await this.resolve(ref);
    return (await this.#store.listVersions(assistant_id, request)).map(toAssistant);
  }

  /** Deletes an assistant with all versions. The default assistant of a graph is created again immediately. */
  async delete(ref: string): Promise<void> {
    const { assistant_id } = await this.resolve(ref);
    await this.#options.db.commit((unit) => this.#store.delete(unit, assistant_id));
    this.#publishChange('deleted', assistant_id);
    await this.syncDefaults(this.#options.runtime.project?.graphs ?? {});
  }

  async search(request: AssistantSearch): Promise<Page<Assistant>> {
    await this.#synced;
    const column = request.sort_by ?? 'created_at';
    const rows = await this.#selectMatching(request)
      .selectAll()
      .orderBy(column, request.sort_order ?? 'desc')
      .orderBy('assistant_id')
      .limit(request.limit)
      .offset(request.offset)
      .execute();
    return { items: rows.map(toAssistant), total: await this.count(request) };
  }

  /** Reads all assistants, the oldest first, a page at a time. */
  async *readAll(): AsyncGenerator<Assistant> {
    await this.#synced;
    let last: AssistantRow | undefined;
    do {
      const rows = await this.#readPageAfter(last);
      yield* rows.map(toAssistant);
      last = rows.length === PAGE_SIZE ? rows.at(-1) : undefined;
    } while (last !== undefined);
  }

  #readPageAfter(last: AssistantRow | undefined): Promise<AssistantRow[]> {
    let query = this.#selectMatching({}).selectAll();
    if (last !== undefined) {
      const { created_at, assistant_id } = last;
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'assistant_id'), '>', tuple(created_at, assistant_id)),
      );
    }
    return query.orderBy('created_at').orderBy('assistant_id').limit(PAGE_SIZE).execute();
  }

  async count(filter: AssistantCount): Promise<number> {
    await this.#synced;
    const row = await this.#selectMatching(filter)
      .select((expression) => expression.fn.countAll<number>().as('count'))
      .executeTakeFirst();
    return row?.count ?? 0;
  }

  #selectMatching(filter: AssistantCount) {
    const { metadata, graph_id, name } = filter;
    let query = this.#options.db
      .selectFrom('assistants')
      .where('deployment_id', '=', this.#store.deploymentId);
    if (graph_id != null) query = query.where('graph_id', '=', graph_id);
    if (name != null) query = query.where(containsText('name', name));
    if (metadata != null && Object.keys(metadata).length > 0) {
      query = query.where(documentContains('metadata', metadata));
    }
    return query;
  }

  async #requireGraph(graphId: string): Promise<void> {
    const { runtime } = this.#options;
    if (runtime.state.state === 'starting') await settled(runtime.ready());
    if (!Object.hasOwn(runtime.project?.graphs ?? {}, graphId)) throw this.#noGraph('Graph', graphId);
  }

  #noGraph(what: string, ref: string): HttpError {
    const known = Object.keys(this.#options.runtime.project?.graphs ?? {});
    return new HttpError(
      404,
      `${what} '${ref}' not found. Graphs in langgraph.json: ${known.join(', ') || 'none'}.`,
    );
  }

  #makeRow(
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

  #publishChange(action: 'created' | 'updated' | 'deleted', id: string): void {
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
