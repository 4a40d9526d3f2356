import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import type { McpTasksConfig } from '../../../runtimes/project/project-config.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import { waitsForAnswer } from '../../data/thread-store.ts';
import type { Runs } from '../../runs/runs.ts';
import { FormError } from './asked-question.ts';
import { INVALID_PARAMS, RpcFailure, rpcParams } from './json-rpc.ts';
import type { McpCall, McpCallStore } from './mcp-call-store.ts';
import type { McpCalls } from './mcp-calls.ts';
import { type McpClient, missingCapability, TASKS_EXTENSION } from './mcp-era.ts';
import { McpQuestions } from './mcp-questions.ts';
import { outcomeOfAnswer, toolError, toolResult, waitingResult } from './mcp-results.ts';
import { taskOf } from './mcp-task-state.ts';

export interface McpTasksOptions {
  readonly calls: McpCalls;
  readonly store: McpCallStore;
  readonly runs: Runs;
  settings(): Promise<McpTasksConfig>;
}

type Params = JsonObject | null | undefined;

/** Calls that their clients follow as tasks (MCP Tasks 2026-07-28). */
export class McpTasks {
  readonly #options: McpTasksOptions;
  constructor(options: McpTasksOptions) {
    this.#options = options;
  }

  /** Reads a task, with its result or its open questions. @throws RpcFailure */
  async get(params: Params, client: McpClient, author: RunAuthor): Promise<object> {
    const call = await this.#require(params, client, author);
    const settings = await this.#options.settings();
    if (call.isCanceled) return this.#ended(call, 'cancelled', {}, settings);
    if (call.run.ended_at === null || call.thread.status === 'busy') return taskOf(call, 'working', settings);
    if (!waitsForAnswer(call.thread)) {
      const { text } = await this.#options.runs.waitForResult(call.run);
      const { record, thread } = call;
      const result = toolResult(outcomeOfAnswer(text), { record, threadId: thread.thread_id });
      return this.#ended(call, 'completed', { result: complete(result) }, settings);
    }
    if (!client.form && !client.url) {
      const { text } = await this.#options.runs.waitForResult(call.run);
      const values = JsonObject.parse(JSON.parse(text));
      const result = complete(waitingResult(values, call.thread.thread_id));
      return { ...taskOf(call, 'completed', settings), result };
    }
    try {
      const questions = new McpQuestions(call, { allowInsecureUrls: settings.allow_insecure_urls });
      return { ...taskOf(call, 'input_required', settings), inputRequests: questions.inputRequests(client) };
    } catch (error) {
      if (!(error instanceof FormError)) throw error;
      return this.#ended(call, 'completed', { result: complete(toolError(error.message)) }, settings);
    }
  }

  /** Takes replies to a task's questions. Late replies are ignored. @throws RpcFailure */
  async update(params: Params, client: McpClient, author: RunAuthor): Promise<object> {
    const call = await this.#require(params, client, author);
    const { inputResponses } = rpcParams(UpdateParams, params);
    if (call.isCanceled || call.run.ended_at === null) return {};
    const taken = await this.#options.calls.answer(call, inputResponses, author);
    if (taken === 'unanswered') await this.#options.store.cancel(call);
    return {};
  }

  /** Cancels a task, unless it has ended. @throws RpcFailure */
  async cancel(params: Params, client: McpClient, author: RunAuthor): Promise<object> {
    const call = await this.#require(params, client, author);
    const isOver = call.run.ended_at !== null && !waitsForAnswer(call.thread);
    if (!isOver && !call.isCanceled) await this.#options.store.cancel(call);
    return {};
  }

  /** Makes the thread of an ended task expire after a while. @returns the task. */
  async #ended(
    call: McpCall,
    status: 'completed' | 'cancelled',
    more: object,
    settings: McpTasksConfig,
  ): Promise<object> {
    await this.#options.store.forgetSoon(call, settings.completed_grace_seconds);
    return { ...taskOf(call, status, settings), ...more };
  }

  async #require(params: Params, client: McpClient, author: RunAuthor): Promise<McpCall> {
    if (!client.tasks) throw missingCapability({ extensions: { [TASKS_EXTENSION]: {} } });
    const { taskId } = rpcParams(TaskParams, params);
    const call = await this.#options.store.find(taskId, author);
    if (call === undefined || !call.record.is_task) {
      throw new RpcFailure(
        INVALID_PARAMS,
        `params.taskId: task '${taskId.slice(0, 64)}' not found. It may have expired.`,
      );
    }
    return call;
  }
}

/** The result of a call, in the form in which the call itself would have been answered. */
function complete(result: object): object {
  return { resultType: 'complete', ...result };
}

const TaskParams = z.looseObject({ taskId: z.string() });
const UpdateParams = z.looseObject({ inputResponses: JsonObject });
