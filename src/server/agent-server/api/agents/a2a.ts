import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { RunCreate } from '../../../../contract/agent-server/runs.ts';
import { HttpError } from '../../../http/errors.ts';
import { isRefused } from '../../../storage/refused.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import type { AssistantRow } from '../../data/assistant-store.ts';
import { expectNoOtherRun } from '../../data/run-queries.ts';
import type { RunRequests } from '../../requests/run-requests.ts';
import type { LiveRun } from '../../runs/live-run.ts';
import { contextMetadata, contextOf, threadOf } from './a2a-contexts.ts';
import {
  EXTENDED_CARD_NOT_CONFIGURED,
  noPushNotifications,
  TASK_NOT_FOUND,
  taskNotFound,
  UNSUPPORTED_OPERATION,
} from './a2a-errors.ts';
import { A2aMessage, toAnswer, toInput } from './a2a-messages.ts';
import { HistoryLength, isGiven } from './a2a-params.ts';
import { STARTED_BY, TASK_KEY, type TaskRow } from './a2a-task-rows.ts';
import { A2aTasks, type A2aTasksOptions, hasEnded, type TaskParts } from './a2a-tasks.ts';
import { type A2aVersion, eventIn, methodOf, taskIn } from './a2a-version.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcFailure, type RpcRequest, rpcParams } from './json-rpc.ts';

/** The number of messages that are sent with a task by default. */
const DEFAULT_HISTORY_LENGTH = 10;

export interface A2aOptions extends A2aTasksOptions {
  readonly requests: RunRequests;
}

/** The run that a message has started. */
export interface SentMessage {
  readonly run: LiveRun;
  readonly task: Pick<TaskRow, 'thread_id' | 'task_id'>;
  readonly contextId: string;
  readonly parts: TaskParts;
  /** Whether the caller wants an answer immediately, and reads the task later. */
  readonly returnsImmediately: boolean;
}

/**
 * Assistants as agents of the Agent2Agent protocol: a context is a thread, and a task is a run with the runs
 * that answer its interrupts.
 */
export class A2a {
  readonly #requests: RunRequests;
  readonly tasks: A2aTasks;
  constructor(options: A2aOptions) {
    this.#requests = options.requests;
    this.tasks = new A2aTasks(options);
  }

  /**
   * Answers a request whose answer is not a stream.
   * @throws RpcFailure; HttpError when the run is refused, for example by the project's own `auth` or by a limit.
   */
  async answer(
    assistant: AssistantRow,
    request: RpcRequest,
    author: RunAuthor,
    version: A2aVersion,
  ): Promise<unknown> {
    const method = methodOf(request);
    if (method.startsWith('tasks/pushNotificationConfig/')) throw noPushNotifications();
    switch (method) {
      case 'message/send': {
        const { run, task, parts, returnsImmediately } = await this.send(assistant, request, author);
        if (!returnsImmediately) await run.outcome;
        return eventIn(version, await this.tasks.read(await this.tasks.reread(task), parts));
      }
      case 'tasks/get': {
        const { id, contextId, historyLength } = rpcParams(TaskQuery, request.params);
        const task = await this.tasks.require(id, assistant, author);
        if (isGiven(contextId) && threadOf(contextId) !== task.thread_id) throw taskNotFound(id);
        return taskIn(
          version,
          await this.tasks.read(task, { historyLength: historyLength ?? DEFAULT_HISTORY_LENGTH }),
        );
      }
      case 'tasks/list':
        return taskIn(version, await this.tasks.list(assistant, request.params, author));
      case 'tasks/cancel': {
        const { id } = rpcParams(TaskId, request.params);
        return taskIn(version, await this.tasks.read(await this.tasks.cancel(id, assistant, author)));
      }
      case 'agent/getAuthenticatedExtendedCard':
        throw new RpcFailure(
          version === '0.3' ? EXTENDED_CARD_NOT_CONFIGURED : UNSUPPORTED_OPERATION,
          'There is no extended card. The public card is complete.',
        );
      default:
        throw new RpcFailure(METHOD_NOT_FOUND, `Unknown method '${request.method.slice(0, 64)}'.`);
    }
  }

  /**
   * Starts a run for a message. If a task is waiting for input, the message answers it.
   * @throws RpcFailure; HttpError when the run is refused.
   */
  async send(assistant: AssistantRow, { params }: RpcRequest, author: RunAuthor): Promise<SentMessage> {
    const { message, configuration } = rpcParams(SendParams, params);
    if ((configuration?.pushNotificationConfig ?? configuration?.taskPushNotificationConfig) != null)
      throw noPushNotifications();
    const { threadId, waiting } = await this.#findAddressed(message, assistant, author);
    // If the waiting task belongs to another assistant, the message answers it too, but the answer is a task
    // of its own.
    const continued = waiting?.assistant_id === assistant.assistant_id ? waiting : undefined;
    const body = RunCreate.parse({
      assistant_id: assistant.assistant_id,
      if_not_exists: 'create',
      stream_mode: ['messages-tuple', 'values'],
      metadata: {
        ...STARTED_BY,
        ...(isGiven(message.contextId) ? contextMetadata(message.contextId) : {}),
        ...(continued === undefined ? {} : { [TASK_KEY]: continued.task_id }),
      },
      ...(waiting === undefined
        ? { input: toInput(message) }
        : { command: { resume: toAnswer(message) }, multitask_strategy: 'reject' }),
    });
    const created = this.#requests.createOnThread(threadId, body, author, (unit) => {
      if (waiting !== undefined) expectNoOtherRun(unit, waiting);
    });
    const run = await created.catch((error: unknown) => {
      throw refusalOf(error, message, waiting);
    });
    // The project's own `auth` may have chosen another thread, or changed the metadata.
    const { runId, threadId: thread_id, metadata } = run.identity;
    return {
      run,
      task: { thread_id, task_id: continued?.task_id ?? runId },
      contextId: contextOf({ thread_id, metadata }),
      parts: { historyLength: configuration?.historyLength ?? DEFAULT_HISTORY_LENGTH },
      returnsImmediately: configuration?.returnImmediately === true || configuration?.blocking === false,
    };
  }

  /** Finds the task to follow. @throws RpcFailure if it has ended. */
  async subscribe(assistant: AssistantRow, { params }: RpcRequest, author: RunAuthor): Promise<TaskRow> {
    const { id } = rpcParams(TaskId, params);
    const task = await this.tasks.require(id, assistant, author);
    if (hasEnded(task)) {
      throw new RpcFailure(
        UNSUPPORTED_OPERATION,
        `Task '${task.task_id}' has ended: it is ${task.state}. Use tasks/get to read it.`,
      );
    }
    return task;
  }

  /** Finds the thread to which a message is addressed, and its task that waits for input. @throws RpcFailure */
  async #findAddressed({ taskId, contextId }: A2aMessage, assistant: AssistantRow, author: RunAuthor) {
    if (!isGiven(taskId)) {
      if (!isGiven(contextId)) return { threadId: uuidv7(), waiting: undefined };
      const threadId = threadOf(contextId);
      return { threadId, waiting: await this.tasks.findWaiting(threadId) };
    }
    const task = await this.tasks.require(taskId, assistant, author);
    if (isGiven(contextId) && threadOf(contextId) !== task.thread_id)
      throw new RpcFailure(INVALID_PARAMS, 'params.message.contextId: the task is in another context.');
    if (task.state === 'input-required') return { threadId: task.thread_id, waiting: task };
    throw new RpcFailure(
      UNSUPPORTED_OPERATION,
      hasEnded(task)
        ? `Task '${task.task_id}' has ended: it is ${task.state}. Leave out taskId to start another task in its context.`
        : `Task '${task.task_id}' is not waiting for a message: it is ${task.state}.`,
    );
  }
}

/** The error for a message whose run was refused, in the form that its client expects. */
function refusalOf(error: unknown, { contextId }: A2aMessage, waiting: TaskRow | undefined): unknown {
  const isBusy = error instanceof HttpError && error.status === 409;
  if (waiting !== undefined && (isBusy || isRefused(error, 'gone')))
    return new RpcFailure(UNSUPPORTED_OPERATION, `Task '${waiting.task_id}' has been answered already.`);
  if (!(error instanceof HttpError)) return error;
  // The context was not found, because its thread belongs to another user.
  if (error.status === 404 && isGiven(contextId))
    return new RpcFailure(TASK_NOT_FOUND, `Context '${contextId.slice(0, 64)}' not found.`);
  return error;
}

const SendParams = z.looseObject({
  message: A2aMessage,
  configuration: z
    .looseObject({
      /** Only in 0.3. */
      blocking: z.boolean().nullish(),
      returnImmediately: z.boolean().nullish(),
      historyLength: HistoryLength,
      /** Only in 0.3. */
      pushNotificationConfig: z.unknown().optional(),
      taskPushNotificationConfig: z.unknown().optional(),
    })
    .nullish(),
});
const TaskId = z.looseObject({ id: z.string().min(1) });
const TaskQuery = TaskId.extend({ contextId: z.string().nullish(), historyLength: HistoryLength });
