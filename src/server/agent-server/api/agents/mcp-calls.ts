import { setTimeout as delay } from 'node:timers/promises';
import { validate as isUuid } from 'uuid';
import { z } from 'zod';
import { RunCreate, RunCreateStateless } from '../../../../contract/agent-server/runs.ts';
import { JsonObject } from '../../../../contract/fields.ts';
import { HttpError } from '../../../http/errors.ts';
import type { McpTasksConfig } from '../../../runtimes/project/project-config.ts';
import { isRefused } from '../../../storage/refused.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import { newId } from '../../data/new-id.ts';
import { expectNoOtherRun } from '../../data/run-queries.ts';
import { waitsForAnswer } from '../../data/thread-store.ts';
import type { RunRequests } from '../../requests/run-requests.ts';
import type { LiveRun } from '../../runs/live-run.ts';
import type { Runs } from '../../runs/runs.ts';
import type { Threads } from '../../threads/threads.ts';
import { FormError } from './asked-question.ts';
import { INVALID_PARAMS, RpcFailure, rpcParams } from './json-rpc.ts';
import {
  type CallRecord,
  callMetadata,
  fingerprint,
  type McpCall,
  type McpCallStore,
} from './mcp-call-store.ts';
import type { McpClient } from './mcp-era.ts';
import { McpQuestions } from './mcp-questions.ts';
import { readRequestState, requestStateOf } from './mcp-request-state.ts';
import { interruptedValues, outcomeOfAnswer, toolError, toolResult, waitingResult } from './mcp-results.ts';
import { createdTask } from './mcp-task-state.ts';
import type { McpTool, McpTools } from './mcp-tools.ts';

/** A call that takes longer becomes a task, if its client can follow tasks. */
const TASK_AFTER_MS = 5_000;

/** The caller of a tool, and what is known about the request. */
export interface McpCaller {
  readonly author: RunAuthor;
  /** The capabilities of a modern client; undefined for a legacy one. */
  readonly client: McpClient | undefined;
  /**
   * Aborted when the client gives up the call: a modern one disconnects, an earlier one sends a notification.
   */
  readonly signal: AbortSignal;
  /** A fingerprint of the request, its session and its user; undefined without a session. */
  readonly requestKey?: string | undefined;
}

export interface McpCallsOptions {
  readonly tools: McpTools;
  readonly store: McpCallStore;
  readonly requests: RunRequests;
  readonly runs: Runs;
  readonly threads: Threads;
  settings(): Promise<McpTasksConfig>;
}

/** Carries out tool calls. Each call is a run, followed by another run for each round of answers. */
export class McpCalls {
  readonly #options: McpCallsOptions;
  constructor(options: McpCallsOptions) {
    this.#options = options;
  }

  /**
   * Starts or continues a call.
   * @returns its result, the questions for its caller, or a task.
   * @throws RpcFailure
   */
  async call(params: JsonObject | null | undefined, caller: McpCaller): Promise<object> {
    const { name, arguments: given, requestState, inputResponses } = rpcParams(CallParams, params);
    const tool = await this.#options.tools.require(name, caller.author);
    if (caller.client !== undefined && requestState != null) {
      return this.#retry(tool, given ?? {}, { requestState, responses: inputResponses ?? {} }, caller);
    }
    if (given != null && '__resume__' in given) return this.#resumeByArguments(tool, given, caller);
    return this.#start(tool, given ?? {}, caller);
  }

  async #start(tool: McpTool, given: JsonObject, caller: McpCaller): Promise<object> {
    const { requests, store } = this.#options;
    const { author, client } = caller;
    const { input, threadId } = await this.#takeThread(tool, given, author);
    const record: CallRecord = {
      arguments: fingerprint(given),
      kept: threadId !== undefined,
      is_task: client?.tasks === true && tool.hasTasks,
      request: caller.requestKey,
    };
    const request = { assistant_id: tool.assistantId, metadata: callMetadata(record), input };
    if (!record.is_task && threadId === undefined) {
      const stateless = RunCreateStateless.parse(request);
      const run = await requests.createStateless({ ...stateless, on_completion: 'keep_waiting' }, author);
      return this.#follow(run, record, tool, caller);
    }
    const { ttl_minutes } = await this.#options.settings();
    const onThread = RunCreate.parse({
      ...request,
      if_not_exists: 'create',
      multitask_strategy: 'reject',
      ...(record.kept ? {} : { ttl: { strategy: 'delete', ttl: ttl_minutes } }),
    });
    const run = await requests.createOnThread(threadId ?? newId(), onThread, author);
    const result = await this.#follow(run, record, tool, caller);
    if (!record.kept && isOver(result)) {
      await store.forget(run.identity.threadId);
    }
    return result;
  }

  /**
   * Handles the argument `thread_id`, which keeps the call's thread, unless the graph itself has an input of
   * this name.
   */
  async #takeThread(
    tool: McpTool,
    given: JsonObject,
    author: RunAuthor,
  ): Promise<{ input: JsonObject; threadId?: string }> {
    const { thread_id, ...input } = given;
    if (thread_id === undefined || (await this.#options.tools.hasInput(tool, 'thread_id', author))) {
      return { input: given };
    }
    if (thread_id === 'new') return { input, threadId: newId() };
    if (typeof thread_id === 'string' && isUuid(thread_id))
      return { input, threadId: thread_id.toLowerCase() };
    throw new RpcFailure(
      INVALID_PARAMS,
      "params.arguments.thread_id: must be the thread_id of an earlier result, or 'new'.",
    );
  }

  /**
   * Waits for a run, but only for a while if the call may become a task. If the client gives up the call, the
   * run is canceled.
   */
  async #follow(run: LiveRun, record: CallRecord, tool: McpTool, caller: McpCaller): Promise<object> {
    const { store, settings } = this.#options;
    const { runId, threadId } = run.identity;
    const { signal, client } = caller;
    const ended = new AbortController();
    // When the call has ended, the delay is aborted, and its result is ignored.
    const late =
      record.is_task && client !== undefined
        ? delay(TASK_AFTER_MS, 'late' as const, { signal: ended.signal }).catch(() => 'late' as const)
        : new Promise<never>(() => {});
    const gone = new Promise<'gone'>((resolve) => {
      if (signal.aborted) resolve('gone');
      else signal.addEventListener('abort', () => resolve('gone'), { once: true });
    });
    const outcome = await Promise.race([run.outcome, late, gone]);
    ended.abort();
    if (outcome === 'gone') {
      await store.cancelRun(runId);
      return toolError('The client canceled the call.');
    }
    if (outcome === 'late') {
      const call = await store.find(threadId, caller.author);
      // The call may have ended in the meantime.
      return call === undefined
        ? toolResult(await run.outcome, { record, threadId })
        : createdTask(call, 'working', await settings());
    }
    const values = interruptedValues(outcome);
    if (values !== undefined) return this.#ask(threadId, values, tool, caller);
    return toolResult(outcome, { record, threadId });
  }

  /** Asks the questions with which a call's run has ended, in a way that its client supports. */
  async #ask(threadId: string, values: JsonObject, tool: McpTool, caller: McpCaller): Promise<object> {
    const { store } = this.#options;
    const { client, author } = caller;
    const call = await store.find(threadId, author);
    if (client === undefined || !(client.form || client.url) || call === undefined) {
      return waitingResult(values, threadId);
    }
    const settings = await this.#options.settings();
    try {
      const questions = new McpQuestions(call, { allowInsecureUrls: settings.allow_insecure_urls });
      const inputRequests = questions.inputRequests(client);
      if (client.tasks && tool.hasTasks && call.record.is_task) {
        return createdTask(call, 'input_required', settings);
      }
      return { resultType: 'input_required', inputRequests, requestState: requestStateOf(call) };
    } catch (error) {
      // This client cannot answer the interrupt.
      if (!call.record.kept) await store.forget(threadId);
      if (error instanceof FormError) return toolError(error.message);
      throw error;
    }
  }

  /**
   * Handles a call that is repeated with the answers to its questions. Each round is answered once.
   * Repeating the call again returns its current result.
   */
  async #retry(
    tool: McpTool,
    given: JsonObject,
    { requestState, responses }: { requestState: string; responses: JsonObject },
    caller: McpCaller,
  ): Promise<object> {
    const { store, runs, settings } = this.#options;
    const state = readRequestState(requestState);
    const call = state && (await store.find(state.thread_id, caller.author));
    const belongsToCall =
      call !== undefined &&
      call.run.assistant_id === tool.assistantId &&
      call.record.arguments === fingerprint(given) &&
      [call.run.run_id, call.record.answers].includes(state?.run_id);
    if (!belongsToCall || call.isCanceled) {
      throw new RpcFailure(
        INVALID_PARAMS,
        'params.requestState: does not belong to this call, or the call is over. Call the tool again without it.',
      );
    }
    if (call.run.run_id === state?.run_id) {
      const taken = await this.answer(call, responses, caller.author);
      if (taken === 'unanswered') {
        if (!call.record.kept) await store.forget(call.thread.thread_id);
        return toolError('Nobody answered the question, so the call has ended.');
      }
    }
    // The live run may come from another answer that was faster. Runs are live before they are stored.
    const live = (await runs.listUnfinished(call.thread.thread_id)).at(-1);
    if (live !== undefined)
      return this.#keepResult(await this.#follow(live, call.record, tool, caller), live, caller);
    const [newest] = await runs.list(call.thread.thread_id, { limit: 1, offset: 0 });
    const row = newest && (await runs.find(newest.run_id));
    const outcome = outcomeOfAnswer(row === undefined ? '{}' : (await runs.waitForResult(row)).text);
    const values = interruptedValues(outcome);
    if (values !== undefined) return this.#ask(call.thread.thread_id, values, tool, caller);
    await store.forgetSoon(call, (await settings()).completed_grace_seconds);
    return toolResult(outcome, { record: call.record, threadId: call.thread.thread_id });
  }

  /** Keeps the result of an ended call for a while, for clients that did not receive it. */
  async #keepResult(result: object, run: LiveRun, { author }: McpCaller): Promise<object> {
    if (isOver(result)) {
      const call = await this.#options.store.find(run.identity.threadId, author);
      const { completed_grace_seconds } = await this.#options.settings();
      if (call !== undefined) await this.#options.store.forgetSoon(call, completed_grace_seconds);
    }
    return result;
  }

  /** Cancels the call of a request that has not been answered. */
  cancel(requestKey: string, author: RunAuthor): Promise<void> {
    return this.#options.store.cancelRequest(requestKey, author);
  }

  /**
   * Takes answers to a call's questions, and continues the call once all have arrived.
   * @returns `taken` if the call continues, also because of other answers; `incomplete` if answers are
   * missing; `unanswered` if the user declined or canceled, which ends the call.
   * @throws RpcFailure for answers that do not fit.
   */
  async answer(
    call: McpCall,
    responses: JsonObject,
    author: RunAuthor,
  ): Promise<'taken' | 'incomplete' | 'unanswered'> {
    const { threads, store } = this.#options;
    if (!waitsForAnswer(call.thread)) return 'taken';
    const { allow_insecure_urls: allowInsecureUrls } = await this.#options.settings();
    let seen = call;
    let { answered, remembered } = new McpQuestions(seen, { allowInsecureUrls }).take(responses);
    if (answered === 'incomplete' && Object.keys(remembered).length > 0) {
      await threads.update(call.thread.thread_id, { metadata: remembered });
      // Another request may have answered the other questions.
      const again = await store.find(call.thread.thread_id, author);
      if (again === undefined || again.run.run_id !== call.run.run_id) return 'taken';
      seen = again;
      answered = new McpQuestions(seen, { allowInsecureUrls }).take({}).answered;
    }
    if (typeof answered === 'string') return answered;
    await this.#resume(seen, answered.resume, { author });
    return 'taken';
  }

  /** Continues a waiting call. @returns its run; undefined if another answer was faster. */
  async #resume(
    { run, thread, record }: McpCall,
    resume: unknown,
    { author, requestKey }: Pick<McpCaller, 'author' | 'requestKey'>,
  ): Promise<LiveRun | undefined> {
    const request = RunCreate.parse({
      assistant_id: run.assistant_id,
      command: { resume },
      metadata: callMetadata({ ...record, answers: run.run_id, request: requestKey }),
      multitask_strategy: 'reject',
    });
    const created = this.#options.requests.createOnThread(thread.thread_id, request, author, (unit) =>
      expectNoOtherRun(unit, thread),
    );
    return created.catch((error: unknown) => {
      if (isRefused(error, 'gone') || (error instanceof HttpError && error.status === 409)) return undefined;
      throw error;
    });
  }

  /**
   * Continues the interrupted earlier call that the argument `__resume__` names. It is an argument because
   * models cannot pass anything else.
   */
  async #resumeByArguments(tool: McpTool, given: JsonObject, caller: McpCaller): Promise<object> {
    const { thread_id, value } = rpcParams(Resuming, { arguments: given }).arguments.__resume__;
    const call = await this.#options.store.find(thread_id, caller.author);
    const isNotWaiting = () =>
      new RpcFailure(
        INVALID_PARAMS,
        `params.arguments.__resume__.thread_id: thread '${thread_id}' is not waiting for an answer to '${tool.name}'.`,
      );
    if (call?.thread.status !== 'interrupted' || call.run.assistant_id !== tool.assistantId)
      throw isNotWaiting();
    const run = await this.#resume(call, value, caller).catch((error: unknown) => {
      // The thread was not found, because it belongs to another user.
      throw error instanceof HttpError && error.status === 404 ? isNotWaiting() : error;
    });
    if (run === undefined) throw isNotWaiting();
    const result = await this.#follow(run, call.record, tool, caller);
    if (isOver(result) && !call.record.kept) await this.#options.store.forget(thread_id);
    return result;
  }
}

/**
 * Whether a result ends its call. Questions and tasks have no `isError`, and a `waitingResult` has
 * `__resume__`.
 */
function isOver(result: object): boolean {
  const { data } = z.looseObject({ structuredContent: JsonObject }).safeParse(result);
  return 'isError' in result && !Object.hasOwn(data?.structuredContent ?? {}, '__resume__');
}

const CallParams = z.looseObject({
  name: z.string(),
  arguments: JsonObject.nullish(),
  requestState: z.string().nullish(),
  inputResponses: JsonObject.nullish(),
});
const Resuming = z.object({
  arguments: z.object({ __resume__: z.object({ thread_id: z.uuid(), value: z.json() }) }),
});
