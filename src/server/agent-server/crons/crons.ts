import { v7 as uuidv7 } from 'uuid';
import type {
  Cron,
  CronCount,
  CronCreate,
  CronPatch,
  CronSearch,
} from '../../../contract/agent-server/crons.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import { objectAt } from '../../../process/objects.ts';
import { HttpError, invalid, notFound } from '../../http/errors.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Assistants } from '../assistants/assistants.ts';
import type { UsableAssistants } from '../assistants/usable-assistants.ts';
import type { RunAuthor } from '../auth/run-author.ts';
import { type CronRow, type CronStore, toCron } from '../data/cron-store.ts';
import type { Threads } from '../threads/threads.ts';
import { checkTiming, nextRun } from './schedule.ts';

export interface CronsOptions {
  readonly store: CronStore;
  readonly assistants: Assistants;
  readonly usable: UsableAssistants;
  readonly threads: Threads;
  /** @throws HttpError 422 if webhooks may not be sent to this URL. */
  checkWebhook(url: string): void;
  /** Called when the next run time may have changed. */
  onChange(): void;
}

/** Creates, changes, finds and deletes crons. */
export class Crons {
  readonly #options: CronsOptions;
  constructor(options: CronsOptions) {
    this.#options = options;
  }

  /**
   * Creates a cron.
   * @param threadId null if every run gets its own thread.
   * @throws HttpError 404 for an unknown assistant or thread; 422 for an invalid schedule, time zone, end or
   * webhook.
   */
  async create(threadId: string | null, request: CronCreate, author: RunAuthor): Promise<Cron> {
    const { store, usable, threads } = this.#options;
    const assistant = await usable.resolve(request.assistant_id, author);
    if (threadId !== null) await threads.require(threadId);
    if (request.webhook != null) this.#options.checkWebhook(request.webhook);
    const { schedule, timezone, end_time, enabled, on_run_completed, metadata, assistant_id, ...run } =
      request;
    const timing = {
      schedule,
      timezone: timezone ?? null,
      end_time: toUtc(end_time ?? null),
      enabled: enabled ?? true,
    };
    checkTiming(timing);
    const now = new Date();
    const row: CronRow = {
      ...timing,
      enabled: timing.enabled ? 1 : 0,
      cron_id: uuidv7(),
      deployment_id: store.deploymentId,
      assistant_id: assistant.assistant_id,
      thread_id: threadId,
      on_run_completed: on_run_completed ?? 'delete',
      payload: JSON.stringify(onBehalfOf(author.configurable, { assistant_id, ...withoutNulls(run) })),
      metadata: JSON.stringify(metadata),
      user_id: userIdOf(author),
      next_run_date: nextRun(timing, now),
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    };
    await store.insert(row);
    this.#options.onChange();
    return toCron(row);
  }

  /** @throws HttpError 404 */
  async get(cronId: string): Promise<Cron> {
    return toCron(await this.#require(cronId));
  }

  /**
   * Changes a cron. Absent fields keep their values, null removes the time zone or the end and is ignored
   * elsewhere, and metadata is merged.
   * @throws HttpError 404 for an unknown cron; 422 like `create`.
   */
  async update(cronId: string, patch: CronPatch, author: RunAuthor): Promise<Cron> {
    const { store } = this.#options;
    const current = await this.#require(cronId);
    const { schedule, timezone, end_time, enabled, on_run_completed, metadata, ...run } = patch;
    const timing = {
      schedule: schedule ?? current.schedule,
      timezone: timezone === undefined ? current.timezone : timezone,
      end_time: end_time === undefined ? current.end_time : toUtc(end_time),
      enabled: enabled ?? current.enabled !== 0,
    };
    checkTiming(timing);
    if (patch.webhook != null) this.#options.checkWebhook(patch.webhook);
    const now = new Date();
    const payload = parseStored(current.payload);
    const change = {
      ...timing,
      enabled: timing.enabled ? 1 : 0,
      on_run_completed: on_run_completed ?? current.on_run_completed,
      payload: JSON.stringify(
        // The user who created the cron remains its user.
        onBehalfOf(
          { ...author.configurable, ...configurableOf(payload) },
          { ...payload, ...withoutNulls(run) },
        ),
      ),
      metadata: JSON.stringify({ ...parseStored(current.metadata), ...metadata }),
      next_run_date: nextRun(timing, now),
      updated_at: now.toISOString(),
    };
    // Starts over if another request has changed the cron in the meantime.
    if (!(await store.update(current, change))) return this.update(cronId, patch, author);
    this.#options.onChange();
    return toCron({ ...current, ...change });
  }

  /** @throws HttpError 404 */
  async delete(cronId: string): Promise<void> {
    if (!(await this.#options.store.delete(cronId))) throw notFound('Cron', cronId);
  }

  async search(request: CronSearch): Promise<Partial<Cron>[]> {
    const crons = (await this.#options.store.search(await this.#resolveFilter(request))).map(toCron);
    const { select } = request;
    // Clients can also select the server's time.
    const now = new Date().toISOString();
    return select == null
      ? crons
      : crons.map((cron) => Object.fromEntries(select.map((field) => [field, { ...cron, now }[field]])));
  }

  async count(filter: CronCount): Promise<number> {
    return this.#options.store.count(await this.#resolveFilter(filter));
  }

  /** Replaces the ID of a graph in a filter with that of its default assistant. */
  async #resolveFilter<Filter extends CronCount>(filter: Filter): Promise<Filter> {
    if (filter.assistant_id == null) return filter;
    const { assistant_id } = filter;
    const assistant = await this.#options.assistants.resolve(assistant_id).catch((error: unknown) => {
      // No cron has an assistant that does not exist, so nothing will match.
      if (error instanceof HttpError && error.status === 404) return { assistant_id };
      throw error;
    });
    return { ...filter, assistant_id: assistant.assistant_id };
  }

  async #require(cronId: string): Promise<CronRow> {
    const row = await this.#options.store.find(cronId);
    if (row === undefined) throw notFound('Cron', cronId);
    return row;
  }
}

/** Keys in `configurable` that identify the user, which requests must not set. */
const USER_KEY = /^(?:langgraph_auth_|user_id$)/;

/** Puts the user of a `configurable` into the config of a cron's payload; unchanged if there is no user. */
function onBehalfOf(authorConfigurable: JsonObject, payload: JsonObject): JsonObject {
  const user = Object.entries(authorConfigurable).filter(([name]) => USER_KEY.test(name));
  if (user.length === 0) return payload;
  const others = Object.entries(configurableOf(payload)).filter(([name]) => !USER_KEY.test(name));
  const configurable = Object.fromEntries([...others, ...user]);
  return { ...payload, config: { ...objectAt(payload, 'config'), configurable } };
}

function configurableOf(payload: JsonObject): JsonObject {
  return objectAt(objectAt(payload, 'config'), 'configurable');
}

function userIdOf({ configurable }: RunAuthor): string | null {
  const { langgraph_auth_user_id: identity } = configurable;
  return typeof identity === 'string' ? identity : null;
}

/** A time in UTC. @throws HttpError 422 */
function toUtc(time: string | null): string | null {
  if (time === null) return null;
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw invalid(['body', 'end_time'], 'Must be a date and time.');
  return date.toISOString();
}

function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
