import { validate as isUuid } from 'uuid';
import { z } from 'zod';
import type { AuthQuestion } from '../../../contract/endpoint.ts';
import { JsonObject, Uuid } from '../../../contract/fields.ts';
import type { ValidatedCall } from '../../http/dispatch.ts';
import { forbidden } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { defaultAssistantId, isDefaultAssistant } from '../data/assistant-store.ts';

const Ids = z.looseObject({
  assistant_id: z.string().optional().catch(undefined),
  cron_id: Uuid.optional().catch(undefined),
  thread_id: Uuid.optional().catch(undefined),
  thread_ids: z.array(Uuid).optional().catch(undefined),
  run_id: Uuid.optional().catch(undefined),
  run_ids: z.array(Uuid).optional().catch(undefined),
});

/**
 * Reads the metadata of the resources that a request names, to check it against the filters of a project's
 * `auth`.
 */
export class OwnedResources {
  readonly #db: StateDatabase;
  readonly #deploymentId: string;
  constructor(db: StateDatabase, deploymentId: string) {
    this.#db = db;
    this.#deploymentId = deploymentId;
  }

  /**
   * The metadata of each existing resource. The endpoint's handler reports missing ones.
   * @throws HttpError 403 for a change that names no resource, because it could affect those of other users.
   */
  async readMetadata({ on, action }: AuthQuestion, call: ValidatedCall): Promise<JsonObject[]> {
    const inPath = Ids.parse({
      ...JsonObject.safeParse(call.query).data,
      ...JsonObject.safeParse(call.params).data,
    });
    const inBody = Ids.catch({}).parse(call.body ?? {});
    if (on === 'assistants') return this.#readAssistants(action, inPath.assistant_id ?? inBody.assistant_id);
    if (on === 'crons') return inPath.cron_id === undefined ? [] : this.#readCrons(inPath.cron_id);
    const runs = [...present(inPath.run_id), ...(inBody.run_ids ?? [])];
    const threads = [
      ...present(inPath.thread_id),
      ...present(inBody.thread_id),
      ...(inBody.thread_ids ?? []),
    ];
    if (isChange(action) && runs.length + threads.length === 0)
      throw forbidden('Specify runs or a thread: some of the matching runs belong to other users.');
    return this.#readThreads([...threads, ...(await this.#findThreads(runs))]);
  }

  /**
   * The metadata of an assistant; none when a default assistant is read, because everyone may read these.
   */
  async #readAssistants(action: string, ref: string | undefined): Promise<JsonObject[]> {
    if (ref === undefined) return [];
    const id = isUuid(ref) ? ref.toLowerCase() : defaultAssistantId(ref);
    const rows = await this.#db
      .selectFrom('assistants')
      .select(['assistant_id', 'graph_id', 'metadata'])
      .where('deployment_id', '=', this.#deploymentId)
      .where('assistant_id', '=', id)
      .execute();
    return rows.filter((row) => action !== 'read' || !isDefaultAssistant(row)).map(parse);
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
      // PostgreSQL allows no empty list, and no thread has an empty ID.
      .where('thread_id', 'in', [...ids, ''])
      .execute();
    return rows.map(parse);
  }

  async #findThreads(runIds: readonly string[]): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('runs')
      .select('thread_id')
      // PostgreSQL allows no empty list, and no run has an empty ID.
      .where('run_id', 'in', [...runIds, ''])
      .execute();
    return rows.map(({ thread_id }) => thread_id);
  }
}

function isChange(action: string): boolean {
  return action === 'update' || action === 'delete';
}

function present(id: string | undefined): string[] {
  return id === undefined ? [] : [id];
}

function parse({ metadata }: { metadata: string }): JsonObject {
  return JsonObject.parse(JSON.parse(metadata));
}
