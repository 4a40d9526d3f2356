import type { runs as runEndpoints } from '../../../contract/agent-server/runs.ts';
import { PendingReply, Reply } from '../../http/reply.ts';
import type { Handlers, OpenStream } from '../../http/router.ts';
import type { Threads } from '../threads/threads.ts';
import { followRun } from './follow-run.ts';
import type { LiveRun } from './live-run.ts';
import type { AuthorOf } from './run-author.ts';
import type { RunRequests } from './run-requests.ts';
import type { RunScheduler } from './run-scheduler.ts';
import { type Runs, toRun, waitResult } from './runs.ts';

/**
 * Runs (docs/interface/agent-server.md#runs). A run is stored before the first byte of the answer;
 * `Content-Location` and `Location` point to it. Waiting for a run that fails answers 200 with `{__error__}`.
 * 404 for an unknown thread, run or assistant; 409 for a thread that is busy under `reject`, and for deleting a run
 * that has not ended.
 */
export function runHandlers(
  requests: RunRequests,
  runs: Runs,
  threads: Threads,
  scheduler: RunScheduler,
  authorOf: AuthorOf,
): Handlers<typeof runEndpoints> {
  /** Streams a new run to its caller. */
  async function stream(
    run: LiveRun,
    call: { body: { on_disconnect: 'cancel' | 'continue' }; query: { namespace?: string[] | undefined } },
    open: OpenStream,
  ): Promise<void> {
    const reader = open(locations(run));
    if (call.body.on_disconnect === 'cancel') cancelWhenAbandoned(run, reader.closed);
    await followRun(run.stream, reader, { after: 0, namespaces: call.query.namespace });
  }

  function wait(run: LiveRun, onDisconnect: 'cancel' | 'continue', signal: AbortSignal): PendingReply {
    if (onDisconnect === 'cancel') {
      signal.addEventListener('abort', () => abandon(run), { once: true });
    }
    return new PendingReply(run.outcome.then(waitResult), locations(run));
  }

  function cancelWhenAbandoned(run: LiveRun, closed: Promise<void>): void {
    void Promise.race([closed.then(() => 'abandoned'), run.outcome.then(() => 'ended')]).then((first) => {
      if (first === 'abandoned') abandon(run);
    });
  }

  function abandon(run: LiveRun): void {
    // The client has disconnected, so nobody can be informed that this was not stored.
    scheduler.cancel(run, 'interrupt', 'client disconnected').catch(() => {});
  }

  async function join(
    runId: string,
    threadId: string | undefined,
    request: JoinRequest,
    open: OpenStream,
  ): Promise<void> {
    const row = await runs.require(runId, threadId);
    const followed = await runs.stream(row);
    const reader = open({
      'content-location': locationOf(row.run_id, threadId),
      location: `${locationOf(row.run_id, threadId)}/stream`,
    });
    const live = runs.findLive(runId);
    if (request.cancelOnDisconnect && live !== undefined) cancelWhenAbandoned(live, reader.closed);
    await followRun(followed, reader, {
      after: eventNumber(request.lastEventId),
      modes: request.modes,
      namespaces: request.namespaces,
    });
  }

  return {
    stream: async (call, open) =>
      stream(await requests.onThread(call.params.thread_id, call.body, authorOf(call)), call, open),
    wait: async (call) =>
      wait(
        await requests.onThread(call.params.thread_id, call.body, authorOf(call)),
        call.body.on_disconnect,
        call.signal,
      ),
    create: async (call) =>
      replyTo(await requests.onThread(call.params.thread_id, call.body, authorOf(call)), runs),
    list: async ({ params, query }) => {
      await threads.require(params.thread_id);
      const page = await runs.list(params.thread_id, query);
      const { select } = query;
      return select === undefined
        ? page
        : page.map((run) => Object.fromEntries(select.map((field) => [field, run[field]])));
    },
    get: async ({ params }) => toRun(await runs.require(params.run_id, params.thread_id)),
    delete: async ({ params }) => {
      await runs.delete(await runs.require(params.run_id, params.thread_id));
      return undefined;
    },
    join: async ({ params, query, signal }) => {
      const row = await runs.require(params.run_id, params.thread_id);
      const live = runs.findLive(params.run_id);
      if (query.cancel_on_disconnect && live !== undefined) {
        signal.addEventListener('abort', () => abandon(live), { once: true });
      }
      return new PendingReply(runs.result(row));
    },
    joinStream: ({ params, query, headers }, open) =>
      join(params.run_id, params.thread_id, joinRequest(query, headers['last-event-id']), open),
    cancel: async ({ params, query }) => {
      const row = await runs.require(params.run_id, params.thread_id);
      const cancelled = await runs.cancel(row, query.action, reasonOf(query));
      if (!query.wait) return new Reply(undefined, { status: 202 });
      await Promise.all(cancelled.map((run) => run.outcome));
      return new Reply(undefined, { status: 204 });
    },
    cancelMany: async ({ query, body }) => {
      const chosen = await runs.cancelMany(
        {
          runIds: body.run_ids ?? undefined,
          threadId: body.thread_id ?? undefined,
          status: body.status ?? 'all',
        },
        query.action,
        reasonOf(query),
      );
      if (query.wait) await Promise.all(chosen.map((run) => run.outcome));
      return undefined;
    },
    streamStateless: async (call, open) =>
      stream(await requests.stateless(call.body, authorOf(call)), call, open),
    waitStateless: async (call) =>
      wait(await requests.stateless(call.body, authorOf(call)), call.body.on_disconnect, call.signal),
    createStateless: async (call) => replyTo(await requests.stateless(call.body, authorOf(call)), runs),
    createBatch: async (call) => {
      const made = await requests.batch(call.body, authorOf(call));
      return Promise.all(made.map(async (run) => toRun(await runs.require(run.identity.runId))));
    },
    joinStreamStateless: ({ params, query, headers }, open) =>
      join(params.run_id, undefined, joinRequest(query, headers['last-event-id']), open),
  };
}

/** The reason as the run has it; a merged input starts with `taken:` (public SDK 1.15). */
function reasonOf({ reason }: { reason?: 'taken' | undefined }): string | undefined {
  return reason && `${reason}: its input went into another run`;
}

interface JoinRequest {
  readonly modes: readonly string[] | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly cancelOnDisconnect: boolean;
  readonly lastEventId: string | undefined;
}

function joinRequest(
  query: {
    namespace?: string[] | undefined;
    stream_mode?: string[] | undefined;
    cancel_on_disconnect: boolean;
  },
  lastEventId: string | string[] | undefined,
): JoinRequest {
  return {
    modes: query.stream_mode,
    namespaces: query.namespace,
    cancelOnDisconnect: query.cancel_on_disconnect,
    lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
  };
}

async function replyTo(run: LiveRun, runs: Runs) {
  return new Reply(toRun(await runs.require(run.identity.runId)), { headers: locations(run) });
}

function locations(run: LiveRun): Record<string, string> {
  const location = locationOf(run.identity.runId, run.identity.stateless ? undefined : run.identity.threadId);
  return { 'content-location': location, location: `${location}/stream` };
}

/**
 * Relative, ending with the run ID, because the public clients parse it
 * (docs/interface/agent-server.md#runs).
 */
function locationOf(runId: string, threadId: string | undefined): string {
  return threadId === undefined ? `/runs/${runId}` : `/threads/${threadId}/runs/${runId}`;
}

/**
 * Parses Last-Event-ID; `-1` and anything that is not a number mean from the start
 * (docs/interface/agent-server.md#streams).
 */
function eventNumber(lastEventId: string | undefined): number {
  const number = Number(lastEventId ?? '-1');
  return Number.isInteger(number) && number > 0 ? number : 0;
}
