import { createHash } from 'node:crypto';
import { validate as isUuid } from 'uuid';
import { z } from 'zod';
import type { JsonObject } from '../../../../contract/fields.ts';
import { readStoredObject } from '../../../storage/stored-json.ts';
import type { CustomAuthentication } from '../../auth/custom-auth.ts';
import { matchesFilters } from '../../auth/filters.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import type { RunRow } from '../../data/run-store.ts';
import type { ThreadRow } from '../../data/thread-store.ts';
import type { Runs } from '../../runs/runs.ts';
import type { Threads } from '../../threads/threads.ts';

/** The field of a run's metadata with the record of its call. */
const CALL_KEY = 'mcp_call';
/** The field of a thread's metadata with the run whose call was canceled. */
const CANCELED_KEY = 'mcp_canceled';

/** The metadata of a run that is part of a tool's call. */
const CallRecord = z.object({
  /** A fingerprint of the arguments, which a retry must repeat. */
  arguments: z.string(),
  /** Whether the thread is kept when the call has ended. */
  kept: z.boolean(),
  /** Whether the caller may follow the call as a task. */
  is_task: z.boolean(),
  /** The run whose questions this one answers. */
  answers: z.string().optional(),
  /** A fingerprint of the request, its session and its user, by which an earlier client may cancel the call. */
  request: z.string().optional(),
});
export type CallRecord = z.output<typeof CallRecord>;

const RunMetadata = z.looseObject({
  started_by: z.literal('mcp'),
  [CALL_KEY]: CallRecord.default({ arguments: '', kept: false, is_task: false }),
});
const Kwargs = z.looseObject({
  config: z.looseObject({
    configurable: z.looseObject({ langgraph_auth_user_id: z.string().optional() }).optional(),
  }),
});

/** A call of a tool: its newest run, and its thread. */
export interface McpCall {
  readonly run: RunRow;
  readonly thread: ThreadRow;
  readonly record: CallRecord;
  readonly isCanceled: boolean;
}

export interface McpCallStoreOptions {
  readonly threads: Threads;
  readonly runs: Runs;
  readonly auth: Pick<CustomAuthentication, 'askForFilters'>;
}

/** Finds, cancels and forgets the calls of tools, by their threads. */
export class McpCallStore {
  readonly #options: McpCallStoreOptions;
  constructor(options: McpCallStoreOptions) {
    this.#options = options;
  }

  /**
   * Finds a call.
   * @returns undefined for a call that is forgotten, or belongs to another user.
   * @throws HttpError if the project's own `auth` refuses.
   */
  async find(threadId: string, author: RunAuthor): Promise<McpCall | undefined> {
    if (!isUuid(threadId)) return undefined;
    const { runs, threads, auth } = this.#options;
    // The run is read before the thread, because the thread of an ended run has its outcome. `list` returns runs
    // as the API shows them, so the row is read by its ID.
    const [newest] = await runs.list(threadId, { limit: 1, offset: 0 });
    const run = newest && (await runs.find(newest.run_id));
    const thread = await threads.find(threadId);
    if (run === undefined || thread === undefined || isExpired(thread)) return undefined;
    const metadata = RunMetadata.safeParse(readStoredObject(run.metadata)).data;
    if (metadata === undefined || userOf(run) !== author.user?.identity) return undefined;
    const reading = { on: 'threads', action: 'read' } as const;
    const filters = await auth.askForFilters(author.user, reading, { thread_id: threadId });
    const threadMetadata: JsonObject = readStoredObject(thread.metadata);
    if (!matchesFilters(threadMetadata, filters)) return undefined;
    return {
      run,
      thread,
      record: metadata[CALL_KEY],
      isCanceled: threadMetadata[CANCELED_KEY] === run.run_id || run.status === 'interrupted',
    };
  }

  /** Cancels the run of a request, unless it has ended or belongs to another user. */
  async cancelRequest(request: string, author: RunAuthor): Promise<void> {
    for (const run of await this.#options.runs.listUnfinishedWith({ [CALL_KEY]: { request } })) {
      const call = await this.find(run.thread_id, author);
      if (call?.record.request !== request) continue;
      await this.cancelRun(call.run.run_id);
    }
  }

  /** Ends a call that its caller has given up. */
  async cancel({ run, thread, record }: McpCall): Promise<void> {
    const { threads } = this.#options;
    await threads.update(thread.thread_id, { metadata: { [CANCELED_KEY]: run.run_id } });
    await this.cancelRun(run.run_id);
    if (!record.kept && !record.is_task) await this.forget(thread.thread_id);
  }

  /** Cancels a run of a call, unless it has ended. */
  async cancelRun(runId: string): Promise<void> {
    const { runs } = this.#options;
    await runs.cancelMany({ runIds: [runId], status: 'all' }, 'interrupt', 'MCP call canceled');
  }

  /** Deletes the thread of a call that is over. */
  async forget(threadId: string): Promise<void> {
    // The thread may have been deleted with its run.
    if ((await this.#options.threads.find(threadId)) !== undefined)
      await this.#options.threads.delete(threadId);
  }

  /**
   * Makes the thread of an ended call expire after a while, so that a client that did not receive the result can ask again.
   */
  async forgetSoon({ thread, record }: McpCall, graceSeconds: number): Promise<void> {
    if (record.kept) return;
    const until = new Date(Date.now() + graceSeconds * 1000).toISOString();
    if (thread.expires_at !== null && thread.expires_at <= until) return;
    await this.#options.threads.update(thread.thread_id, {
      ttl: { strategy: 'delete', ttl: graceSeconds / 60 },
    });
  }
}

/** The metadata of a call's runs. */
export function callMetadata(record: CallRecord): JsonObject {
  return { started_by: 'mcp', [CALL_KEY]: record };
}

/** A short hash of a call's arguments, or of the fields that identify a request. */
export function fingerprint(given: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(given)).digest('base64url').slice(0, 22);
}

function isExpired({ expires_at }: ThreadRow): boolean {
  return expires_at !== null && expires_at <= new Date().toISOString();
}

function userOf({ kwargs }: RunRow): string | undefined {
  return Kwargs.safeParse(JSON.parse(kwargs)).data?.config.configurable?.langgraph_auth_user_id;
}
