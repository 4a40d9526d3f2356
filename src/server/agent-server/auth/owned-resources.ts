import { validate as isUuid } from 'uuid';
import { z } from 'zod';
import type { Permission } from '../../../contract/endpoint.ts';
import { JsonObject, Uuid } from '../../../contract/fields.ts';
import type { AuthorizedCall } from '../../http/dispatch.ts';
import { forbidden } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { defaultAssistantId, isGraphsOwn } from '../assistants/assistant-store.ts';

const Ids = z.looseObject({
  assistant_id: z.string().optional().catch(undefined),
  cron_id: Uuid.optional().catch(undefined),
  thread_id: Uuid.optional().catch(undefined),
  thread_ids: z.array(Uuid).optional().catch(undefined),
  run_id: Uuid.optional().catch(undefined),
  run_ids: z.array(Uuid).optional().catch(undefined),
  status: z.string().optional().catch(undefined),
});

/** The metadata of the resources of a request, for the filters of a project's auth handlers. */
export class OwnedResources {
  readonly #db: StateDatabase;
  readonly #deploymentId: string;
  constructor(db: StateDatabase, deploymentId: string) {
    this.#db = db;
    this.#deploymentId = deploymentId;
  }

  /** One for each existing resource; the handler reports missing ones. */
  async readMetadata({ on: resource, action }: Permission, call: AuthorizedCall): Promise<JsonObject[]> {
    const inPath = Ids.parse(call.params ?? {});
    const inBody = Ids.catch({}).parse(call.body ?? {});
    if (resource === 'assistants')
      return this.#readAssistants(action, inPath.assistant_id ?? inBody.assistant_id);
    if (resource === 'crons' && inPath.cron_id !== undefined) return this.#readCrons(inPath.cron_id);
    const runs = [...present(inPath.run_id), ...(inBody.run_ids ?? [])];
    const threads = [
      ...present(inPath.thread_id),
      ...present(inBody.thread_id),
      ...(inBody.thread_ids ?? []),
    ];
    if (inBody.status !== undefined && call.params === undefined && runs.length + threads.length === 0) {
      const isSearch = 'limit' in inBody || 'metadata' in inBody;
      if (!isSearch)
        throw forbidden('Specify runs or a thread: some of the matching runs belong to other users.');
    }
    return this.#readThreads([...threads, ...(await this.#findThreads(runs))]);
  }

  /** The default assistant of a graph can be read by everyone and changed by its owner. */
  async #readAssistants(action: string, ref: string | undefined): Promise<JsonObject[]> {
    if (ref === undefined) return [];
    const id = isUuid(ref) ? ref.toLowerCase() : defaultAssistantId(ref);
    const rows = await this.#db
      .selectFrom('assistants')
      .select(['assistant_id', 'graph_id', 'metadata'])
      .where('deployment_id', '=', this.#deploymentId)
      .where('assistant_id', '=', id)
      .execute();
    return rows.filter((row) => action !== 'read' || !isGraphsOwn(row)).map(parse);
  }

  async #readCrons(id: string): Promise<JsonObject[]> {
    const rows = await this.#db
      .selectFrom('crons')
      .select('metadata')
      .where('deployment_id', '=', this.#deploymentId)
      .where('cron_id', '=', id)
      .execute();
    return rows.map(parse);
  }

  async #readThreads(ids: readonly string[]): Promise<JsonObject[]> {
    const rows = await this.#db
      .selectFrom('threads')
      .select('metadata')
      .where('deployment_id', '=', this.#deploymentId)
      .where('thread_id', 'in', [...ids, ''])
      .execute();
    return rows.map(parse);
  }

  async #findThreads(runIds: readonly string[]): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('runs')
      .select('thread_id')
      .where('run_id', 'in', [...runIds, ''])
      .execute();
    return rows.map(({ thread_id }) => thread_id);
  }
}

/** Whether metadata matches the filters: a value, `{$eq}` or `{$contains}`. */
export function isOwned(metadata: JsonObject, filters: JsonObject): boolean {
  return Object.entries(filters).every(([key, wanted]) => {
    const operators = JsonObject.safeParse(wanted).data;
    const value = metadata[key];
    if (operators === undefined) return value === wanted;
    if ('$contains' in operators) {
      const all = Array.isArray(operators.$contains) ? operators.$contains : [operators.$contains];
      return Array.isArray(value) && all.every((item) => value.includes(item));
    }
    return value === operators.$eq;
  });
}

/** The filters as metadata of created resources. */
export function ownedFields(filters: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(filters).map(([key, wanted]) => {
      const operators = JsonObject.safeParse(wanted).data;
      if (operators === undefined) return [key, wanted];
      if ('$contains' in operators) {
        return [key, Array.isArray(operators.$contains) ? operators.$contains : [operators.$contains]];
      }
      return [key, operators.$eq];
    }),
  );
}

function present(id: string | undefined): string[] {
  return id === undefined ? [] : [id];
}

function parse({ metadata }: { metadata: string }): JsonObject {
  return JsonObject.parse(JSON.parse(metadata));
}
