import { z } from 'zod';
import { RunCreate, RunCreateStateless } from '../../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import { listAt, objectAt } from '../../../process/objects.ts';
import { conflict, notFound } from '../../http/errors.ts';
import { parseStored, readStoredObject } from '../../storage/stored-json.ts';
import type { Write } from '../../storage/unit.ts';
import type { RoomOptions } from '../agent-server-options.ts';
import type { UsableAssistants } from '../assistants/usable-assistants.ts';
import { matchesFilters } from '../auth/filters.ts';
import { type RunAuthor, withoutIdentity } from '../auth/run-author.ts';
import type { AuthorizedRun, RunAuthorization } from '../auth/run-authorization.ts';
import type { AssistantRow } from '../data/assistant-store.ts';
import { lookAndWrite } from '../data/look-and-write.ts';
import { newId } from '../data/new-id.ts';
import { RunKwargs, RunMode } from '../data/run-kwargs.ts';
import type { ThreadStore } from '../data/thread-store.ts';
import type { LiveRun, RunIdentity } from '../runs/live-run.ts';
import type { RunScheduler } from '../runs/run-scheduler.ts';
import { ttlColumns } from '../threads/threads.ts';

/** Fields for which the server may set values that clients cannot send. */
const SERVER_ONLY_FIELDS = { stream_mode: z.array(RunMode), on_completion: RunKwargs.shape.on_completion };
const StatefulRequest = RunCreate.extend(SERVER_ONLY_FIELDS);
type StatefulRequest = z.output<typeof StatefulRequest>;
const StatelessRequest = RunCreateStateless.extend(SERVER_ONLY_FIELDS);
type StatelessRequest = z.output<typeof StatelessRequest>;

export interface RunRequestsOptions {
  readonly assistants: Pick<UsableAssistants, 'resolve'>;
  readonly authorization: Pick<RunAuthorization, 'authorize'>;
  readonly threads: ThreadStore;
  readonly scheduler: RunScheduler;
  readonly room: RoomOptions;
  /** Whether runs are recorded if their requests do not specify it. */
  recordsByDefault(): boolean;
  /** @throws HttpError 422 at `loc` when webhooks to this URL are not allowed. */
  checkWebhook(url: string, loc: (string | number)[]): void;
  /**
   * Creates a pre-signed link for each feedback key. Feedback sent to a link is stored with the run's trace.
   */
  feedbackLinks(runId: string, keys: readonly string[]): Promise<Record<string, string>>;
}

/**
 * Creates runs from requests: applies the active version of the assistant, and creates the thread or marks it
 * busy.
 */
export class RunRequests {
  readonly #options: RunRequestsOptions;
  constructor(options: RunRequestsOptions) {
    this.#options = options;
  }

  /**
   * Creates a run on a thread, which is also created if it does not exist.
   * @param also adds writes to the same transaction.
   * @throws HttpError 404 for an unknown thread or assistant, 409 if the thread is busy and the strategy is
   * `reject`, or another deployment uses the ID of a new thread, 422 for a webhook that is not allowed, 429
   * at a limit of the workspace; errors of the project's own `auth`.
   */
  async createOnThread(
    requestedThread: string,
    original: StatefulRequest,
    caller: RunAuthor,
    also?: Write,
  ): Promise<LiveRun> {
    const { threads, scheduler, authorization } = this.#options;
    const run = { runId: newId(), threadId: requestedThread, request: original, author: caller };
    const authorized = await authorization.authorize(StatefulRequest, run);
    const { request, author, filters } = authorized;
    const threadId = authorized.threadId ?? requestedThread;
    const assistant = await this.#options.assistants.resolve(request.assistant_id, author);
    await this.#options.room.checkRuns(1);
    let plan: RunPlan | undefined;
    return lookAndWrite(async () => {
      const seen = await threads.findWithoutState(threadId);
      const before: JsonObject | undefined = seen && readStoredObject(seen.metadata);
      if (before === undefined) await this.#checkNewThread(threadId, request);
      else if (!matchesFilters(before, filters)) throw notFound('Thread', threadId);
      plan ??= await this.#plan(assistant, authorized, ['body']);
      const identity = {
        ...makeIdentity(plan, assistant, request, before ?? {}),
        threadId,
        multitaskStrategy: request.multitask_strategy,
        stateless: false,
      };
      const metadata: JsonObject = {
        ...(before ?? newThreadMetadata(request, author)),
        graph_id: assistant.graph_id,
        assistant_id: assistant.assistant_id,
      };
      const config = JSON.stringify(plan.kwargs.config);
      return scheduler.accept(identity, (unit) => {
        also?.(unit);
        if (seen !== undefined) return threads.occupy(unit, seen, { metadata, config });
        const row = { ...threads.makeRow(threadId, metadata), ...ttlColumns(request.ttl) };
        threads.insert(unit, { ...row, status: 'busy', run_count: 1, config });
      });
    });
  }

  /**
   * Checks whether a run may create a thread.
   * @throws HttpError 404 if the request forbids it, 409 if another deployment has the ID, 429 if the
   * workspace has no room for another thread.
   */
  async #checkNewThread(threadId: string, request: StatefulRequest): Promise<void> {
    if (request.if_not_exists === 'reject') throw notFound('Thread', threadId);
    if (await this.#options.threads.isTakenElsewhere(threadId)) {
      throw conflict(`Thread '${threadId}' already exists.`);
    }
    await this.#options.room.checkThreads();
  }

  /**
   * Creates a run with its own new thread.
   * @param also adds writes to the same transaction.
   * @throws HttpError 404 for an unknown assistant, 422 for a webhook that is not allowed, 429 at a limit of
   * the workspace; errors of the project's own `auth`.
   */
  async createStateless(request: StatelessRequest, author: RunAuthor, also?: Write): Promise<LiveRun> {
    const planned = await this.#planStateless(request, author, ['body']);
    await this.#options.room.checkRuns(1);
    return this.#acceptStateless(planned, also);
  }

  /**
   * Creates several runs. All are checked before the first is accepted, so none runs if one is refused.
   * @throws HttpError 404, 422, 429 as for a single run; errors of the project's own `auth`.
   */
  async createBatch(requests: readonly StatelessRequest[], author: RunAuthor): Promise<LiveRun[]> {
    const planned = await Promise.all(
      requests.map((request, index) => this.#planStateless(request, author, ['body', index])),
    );
    await this.#options.room.checkRuns(planned.length);
    return Promise.all(planned.map((each) => this.#acceptStateless(each)));
  }

  /**
   * Prepares a stateless run without storing it: authorizes it, finds its assistant and checks its webhook.
   * @param loc the location of the request in the body, for errors.
   * @throws HttpError 404 for an unknown assistant, 422; errors of the project's own `auth`.
   */
  async #planStateless(
    original: StatelessRequest,
    caller: RunAuthor,
    loc: readonly (string | number)[],
  ): Promise<PlannedStatelessRun> {
    const run = { runId: newId(), threadId: null, request: original, author: caller };
    const authorized = await this.#options.authorization.authorize(StatelessRequest, run);
    const { request, author } = authorized;
    const assistant = await this.#options.assistants.resolve(request.assistant_id, author);
    return { request, author, assistant, plan: await this.#plan(assistant, authorized, loc) };
  }

  #acceptStateless(
    { request, author, assistant, plan }: PlannedStatelessRun,
    also?: Write,
  ): Promise<LiveRun> {
    const { threads, scheduler } = this.#options;
    const threadId = newId();
    const identity = {
      ...makeIdentity(plan, assistant, request, {}),
      threadId,
      multitaskStrategy: 'enqueue' as const,
      stateless: true,
    };
    const metadata = {
      ...newThreadMetadata(request, author),
      graph_id: assistant.graph_id,
      assistant_id: assistant.assistant_id,
    };
    const prepareThread: Write = (unit) => {
      also?.(unit);
      const row = { ...threads.makeRow(threadId, metadata), status: 'busy' as const, run_count: 1 };
      threads.insert(unit, row);
    };
    return lookAndWrite(() => scheduler.accept(identity, prepareThread));
  }

  /** Determines the parts of an accepted run that do not depend on its thread. */
  async #plan(
    assistant: AssistantRow,
    { runId, request, author }: AuthorizedRun<StatefulRequest | StatelessRequest>,
    loc: readonly (string | number)[],
  ): Promise<RunPlan> {
    if (request.webhook != null) this.#options.checkWebhook(request.webhook, [...loc, 'webhook']);
    const keys = request.feedback_keys ?? [];
    const feedback = keys.length === 0 ? null : await this.#options.feedbackLinks(runId, keys);
    return {
      runId,
      kwargs: kwargsOf(assistant, { ...request, record: this.#recordSetting(request) }, author, feedback),
      startAfter: request.after_seconds == null ? 0 : Date.now() + request.after_seconds * 1000,
    };
  }

  /**
   * Whether a run is recorded: as its request says, otherwise by default. A replay is not recorded itself.
   */
  #recordSetting({ record, replay }: Pick<StatefulRequest, 'record' | 'replay'>): boolean | null {
    if (record != null || replay != null) return record ?? null;
    return this.#options.recordsByDefault() ? true : null;
  }
}

type RunPlan = Pick<RunIdentity, 'runId' | 'kwargs' | 'startAfter'>;

interface PlannedStatelessRun {
  readonly request: StatelessRequest;
  readonly author: RunAuthor;
  readonly assistant: AssistantRow;
  readonly plan: RunPlan;
}

/** The data of a run that never changes. @param threadMetadata the metadata of an existing thread. */
function makeIdentity(
  plan: RunPlan,
  assistant: AssistantRow,
  request: StatefulRequest | StatelessRequest,
  threadMetadata: JsonObject,
) {
  const { assistant_id, graph_id } = assistant;
  return {
    ...plan,
    assistantId: assistant_id,
    graphId: graph_id,
    metadata: {
      ...parseStored(assistant.metadata),
      ...threadMetadata,
      ...objectAt(request.config, 'metadata'),
      ...request.metadata,
      graph_id,
      assistant_id,
    },
  };
}

/**
 * The metadata of a thread that is created for a run: that of the run, so that searches find the thread, and
 * that of its owner, which takes precedence.
 */
function newThreadMetadata(
  { config, metadata }: StatefulRequest | StatelessRequest,
  author: RunAuthor,
): JsonObject {
  return { ...objectAt(config, 'metadata'), ...metadata, ...author.threadMetadata };
}

/** The request of a run as it is stored, with the settings of the assistant and of the author. */
function kwargsOf(
  assistant: AssistantRow,
  request: StatefulRequest | StatelessRequest,
  author: RunAuthor,
  feedback: Record<string, string> | null,
): RunKwargs {
  const assistantConfig = parseStored(assistant.config);
  const requested = { ...request.config.configurable };
  const configurable = {
    ...withoutIdentity(objectAt(assistantConfig, 'configurable')),
    ...(author.isStored === true ? requested : withoutIdentity(requested)),
  };
  const context = { ...parseStored(assistant.context), ...request.context };
  const hasContext = Object.keys(context).length > 0;
  const checkpoint =
    request.checkpoint ?? (request.checkpoint_id == null ? null : { checkpoint_id: request.checkpoint_id });
  return {
    input: request.input ?? null,
    command: request.command ?? null,
    config: {
      ...assistantConfig,
      ...request.config,
      tags: [...listAt(assistantConfig, 'tags'), ...(request.config.tags ?? [])],
      // Graphs before LangGraph 0.6 read settings from `configurable`, later ones from `context`, so both get
      // them.
      configurable: { ...(hasContext ? context : {}), ...configurable, ...author.configurable },
    },
    // If the request and its author's additions have the same key, the addition wins.
    context: hasContext
      ? context
      : { ...configurable, ...pick(author.configurable, Object.keys(configurable)) },
    checkpoint,
    stream_mode: request.stream_mode,
    stream_subgraphs: request.stream_subgraphs,
    stream_resumable: request.stream_resumable,
    interrupt_before: request.interrupt_before ?? null,
    interrupt_after: request.interrupt_after ?? null,
    durability: request.durability ?? (request.checkpoint_during === false ? 'exit' : 'async'),
    langsmith_tracer: request.langsmith_tracer ?? null,
    strict_resume: request.strict_resume ?? null,
    record: request.record ?? null,
    replay: request.replay ?? null,
    max_cost: request.max_cost ?? null,
    feedback,
    webhook: request.webhook ?? null,
    on_completion: request.on_completion ?? null,
  };
}

function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(object, key) ? [[key, object[key]]] : [])));
}
