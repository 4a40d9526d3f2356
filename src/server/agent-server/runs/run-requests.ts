import type { z } from 'zod';
import type { RunCreate, RunCreateStateless } from '../../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import { conflict, notFound } from '../../http/errors.ts';
import { parseStored, readStoredObject } from '../../storage/stored-json.ts';
import type { AssistantRow } from '../assistants/assistant-store.ts';
import type { UsableAssistants } from '../auth/usable-assistants.ts';
import type { Write } from '../commit-queue.ts';
import { newId } from '../new-id.ts';
import { occupyThread } from '../threads/thread-queries.ts';
import type { ThreadStore } from '../threads/thread-store.ts';
import { ttlColumns } from '../threads/threads.ts';
import type { LiveRun, RunIdentity } from './live-run.ts';
import type { RunAuthor } from './run-author.ts';
import type { RunKwargs, RunMode } from './run-kwargs.ts';
import type { RunScheduler } from './run-scheduler.ts';

type OnCompletion = RunKwargs['on_completion'];
type Asked<Request> = Omit<Request, 'stream_mode' | 'on_completion'> & {
  stream_mode: RunMode[];
  on_completion?: OnCompletion;
};
type StatefulRequest = Asked<z.output<typeof RunCreate>>;
type StatelessRequest = Asked<z.output<typeof RunCreateStateless>>;

export interface RunRequestsOptions {
  readonly assistants: UsableAssistants;
  readonly threads: ThreadStore;
  readonly scheduler: RunScheduler;
  /** @throws HttpError 422 when a run's webhook would not be sent there. */
  checkWebhook(url: string): void;
  /** Creates a pre-signed link for each key; its feedback belongs to the run's trace. */
  feedbackLinks(runId: string, keys: readonly string[]): Promise<Record<string, string>>;
}

/** Turns requests for runs into accepted runs: the assistant's active version applied, the thread made or marked busy. */
export class RunRequests {
  readonly #options: RunRequestsOptions;
  constructor(options: RunRequestsOptions) {
    this.#options = options;
  }

  /**
   * @param also writes stored in the same transaction.
   * @throws HttpError 404 for an unknown thread or assistant, 409 when the thread is busy and the strategy says so, or
   * the id of a new thread is taken elsewhere.
   */
  async onThread(
    threadId: string,
    request: StatefulRequest,
    author: RunAuthor,
    also?: Write,
  ): Promise<LiveRun> {
    const { threads, scheduler } = this.#options;
    const assistant = await this.#options.assistants.resolve(request.assistant_id, author);
    const thread = await threads.find(threadId);
    if (thread === undefined && request.if_not_exists === 'reject') throw notFound('Thread', threadId);
    const identity = await this.#identity(threadId, assistant, request, author, {
      multitaskStrategy: request.multitask_strategy,
      stateless: false,
      metadata: thread === undefined ? {} : readStoredObject(thread.metadata),
    });
    const config = JSON.stringify(identity.kwargs.config);
    return scheduler.accept(identity, (transaction) => {
      also?.(transaction);
      // Read again, because it may have been created, changed or deleted meanwhile.
      const current = threads.findNow(transaction, threadId);
      const before: JsonObject | undefined = current && readStoredObject(current.metadata);
      const metadata: JsonObject = {
        ...(before ?? newThreadMetadata(request, author)),
        graph_id: assistant.graph_id,
        assistant_id: assistant.assistant_id,
      };
      if (before === undefined) {
        if (request.if_not_exists === 'reject') throw notFound('Thread', threadId);
        if (threads.isTakenNow(transaction, threadId)) throw conflict(`Thread '${threadId}' already exists.`);
        const row = { ...threads.newRow(threadId, metadata), ...ttlColumns(request.ttl) };
        threads.insert(transaction, { ...row, status: 'busy', run_count: 1, config });
        return;
      }
      if (before.graph_id !== metadata.graph_id || before.assistant_id !== metadata.assistant_id) {
        threads.setMetadata(transaction, threadId, metadata, before);
      }
      occupyThread.run(transaction, {
        thread_id: threadId,
        config,
        updated_at: new Date().toISOString(),
      });
    });
  }

  /**
   * A run on a thread of its own.
   * @throws HttpError 404 for an unknown assistant.
   */
  async stateless(request: StatelessRequest, author: RunAuthor, also?: Write): Promise<LiveRun> {
    const assistant = await this.#options.assistants.resolve(request.assistant_id, author);
    return this.#stateless(assistant, request, author, also);
  }

  /**
   * Creates several runs, or none if an assistant does not exist.
   * @throws HttpError 404
   */
  async batch(requests: readonly StatelessRequest[], author: RunAuthor): Promise<LiveRun[]> {
    const resolved = await Promise.all(
      requests.map(async (request) => ({
        request,
        assistant: await this.#options.assistants.resolve(request.assistant_id, author),
      })),
    );
    return Promise.all(resolved.map(({ request, assistant }) => this.#stateless(assistant, request, author)));
  }

  async #stateless(
    assistant: AssistantRow,
    request: StatelessRequest,
    author: RunAuthor,
    also?: Write,
  ): Promise<LiveRun> {
    const { threads, scheduler } = this.#options;
    const threadId = newId();
    const identity = await this.#identity(threadId, assistant, request, author, {
      multitaskStrategy: 'enqueue',
      stateless: true,
      metadata: {},
    });
    const metadata = {
      ...newThreadMetadata(request, author),
      graph_id: assistant.graph_id,
      assistant_id: assistant.assistant_id,
    };
    return scheduler.accept(identity, (transaction) => {
      also?.(transaction);
      const row = { ...threads.newRow(threadId, metadata), status: 'busy' as const, run_count: 1 };
      threads.insert(transaction, row);
    });
  }

  async #identity(
    threadId: string,
    assistant: AssistantRow,
    request: StatefulRequest | StatelessRequest,
    author: RunAuthor,
    /** Includes the metadata of an existing thread. */
    kind: Pick<RunIdentity, 'multitaskStrategy' | 'stateless' | 'metadata'>,
  ): Promise<RunIdentity> {
    if (request.webhook != null) this.#options.checkWebhook(request.webhook);
    const runId = newId();
    const keys = request.feedback_keys ?? [];
    const feedback = keys.length === 0 ? null : await this.#options.feedbackLinks(runId, keys);
    return {
      ...kind,
      runId,
      threadId,
      assistantId: assistant.assistant_id,
      graphId: assistant.graph_id,
      metadata: {
        ...parseStored(assistant.metadata),
        ...kind.metadata,
        ...objectAt(request.config, 'metadata'),
        ...request.metadata,
        graph_id: assistant.graph_id,
        assistant_id: assistant.assistant_id,
      },
      kwargs: kwargsOf(assistant, request, author, feedback),
      startAfter: request.after_seconds == null ? 0 : Date.now() + request.after_seconds * 1000,
    };
  }
}

/** Metadata of a thread created for a run: the run's, so that searches find it; the owner comes last. */
function newThreadMetadata(
  { config, metadata }: StatefulRequest | StatelessRequest,
  author: RunAuthor,
): JsonObject {
  return { ...objectAt(config, 'metadata'), ...metadata, ...author.threadMetadata };
}

function kwargsOf(
  assistant: AssistantRow,
  request: StatefulRequest | StatelessRequest,
  author: RunAuthor,
  feedback: Record<string, string> | null,
): RunKwargs {
  const assistantConfig = parseStored(assistant.config);
  const configurable = { ...objectAt(assistantConfig, 'configurable'), ...request.config.configurable };
  const context = { ...parseStored(assistant.context), ...request.context };
  // Graphs before and after LangGraph 0.6 read settings from different places, so both get them.
  const given = Object.keys(context).length > 0;
  const checkpoint =
    request.checkpoint ?? (request.checkpoint_id == null ? null : { checkpoint_id: request.checkpoint_id });
  return {
    input: request.input ?? null,
    command: request.command ?? null,
    config: {
      ...assistantConfig,
      ...request.config,
      tags: [...listAt(assistantConfig, 'tags'), ...(request.config.tags ?? [])],
      configurable: { ...(given ? context : {}), ...configurable, ...author.configurable },
    },
    context: given ? context : configurable,
    checkpoint,
    stream_mode: request.stream_mode,
    stream_subgraphs: request.stream_subgraphs,
    stream_resumable: request.stream_resumable,
    interrupt_before: request.interrupt_before ?? null,
    interrupt_after: request.interrupt_after ?? null,
    durability: request.durability ?? (request.checkpoint_during === false ? 'exit' : 'async'),
    langsmith_tracer: request.langsmith_tracer ?? null,
    strict_resume: request.strict_resume ?? null,
    feedback,
    webhook: request.webhook ?? null,
    on_completion: request.on_completion ?? null,
  };
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function listAt(object: JsonObject, key: string): unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}
