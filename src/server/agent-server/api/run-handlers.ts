import type { runs as runEndpoints } from '../../../contract/agent-server/runs.ts';
import { Reply } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import type { AuthorOf } from '../auth/run-author.ts';
import type { RunRequests } from '../requests/run-requests.ts';
import { type Runs, toRun } from '../runs/runs.ts';
import type { Threads } from '../threads/threads.ts';
import type { JoinRequest, RunResponses } from './run-responses.ts';

interface RunHandlersParts {
  readonly requests: RunRequests;
  readonly runs: Runs;
  readonly threads: Threads;
  readonly answers: RunResponses;
  readonly authorOf: AuthorOf;
}

/**
 * Handlers for runs (docs/interface/agent-server.md#runs). A run is stored before the first byte of the
 * response is sent, and `Content-Location` and `Location` point to it. If a run fails, waiting for it
 * returns 200 with `{__error__}`. The handlers throw 404 for an unknown thread, run or assistant, and 409
 * for a busy thread under `reject` and for deleting a run that has not ended.
 */
export function runHandlers(parts: RunHandlersParts): Handlers<typeof runEndpoints> {
  return { ...newRuns(parts), ...newStatelessRuns(parts), ...storedRuns(parts), ...cancellation(parts) };
}

type RunEndpoints<Name extends keyof typeof runEndpoints> = Pick<Handlers<typeof runEndpoints>, Name>;

function newRuns({
  requests,
  answers,
  authorOf,
}: RunHandlersParts): RunEndpoints<'stream' | 'wait' | 'create'> {
  return {
    stream: async (call, open) =>
      answers.stream(
        await requests.createOnThread(call.params.thread_id, call.body, authorOf(call)),
        call,
        open,
      ),
    wait: async (call) =>
      answers.wait(
        await requests.createOnThread(call.params.thread_id, call.body, authorOf(call)),
        call.body.on_disconnect,
        call.signal,
      ),
    create: async (call) =>
      answers.create(await requests.createOnThread(call.params.thread_id, call.body, authorOf(call))),
  };
}

/** Handlers that create runs without a given thread. */
function newStatelessRuns({
  requests,
  runs,
  answers,
  authorOf,
}: RunHandlersParts): RunEndpoints<'streamStateless' | 'waitStateless' | 'createStateless' | 'createBatch'> {
  return {
    streamStateless: async (call, open) =>
      answers.stream(await requests.createStateless(call.body, authorOf(call)), call, open),
    waitStateless: async (call) =>
      answers.wait(
        await requests.createStateless(call.body, authorOf(call)),
        call.body.on_disconnect,
        call.signal,
      ),
    createStateless: async (call) =>
      answers.create(await requests.createStateless(call.body, authorOf(call))),
    createBatch: async (call) => {
      const created = await requests.createBatch(call.body, authorOf(call));
      return Promise.all(created.map(async (run) => toRun(await runs.require(run.identity.runId))));
    },
  };
}

function storedRuns({
  runs,
  threads,
  answers,
}: RunHandlersParts): RunEndpoints<
  'list' | 'get' | 'delete' | 'join' | 'joinStream' | 'joinStreamStateless'
> {
  return {
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
    join: ({ params, query, signal }) => answers.join(params, query.cancel_on_disconnect, signal),
    joinStream: ({ params, query, headers }, open) =>
      answers.joinStream(params, joinRequest(query, headers['last-event-id']), open),
    joinStreamStateless: ({ params, query, headers }, open) =>
      answers.joinStream(params, joinRequest(query, headers['last-event-id']), open),
  };
}

function cancellation({ runs }: RunHandlersParts): RunEndpoints<'cancel' | 'cancelMany'> {
  return {
    cancel: async ({ params, query }) => {
      const row = await runs.require(params.run_id, params.thread_id);
      const canceled = await runs.cancel(row, query.action, reasonOf(query));
      if (!query.wait) return new Reply(undefined, { status: 202 });
      await Promise.all(canceled.map((run) => run.outcome));
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
  };
}

/**
 * The stored reason of a cancellation. If the run's input went into another run, it begins with `taken:`
 * (public SDK 1.15).
 */
function reasonOf({ reason }: { reason?: 'taken' | undefined }): string | undefined {
  return reason && `${reason}: its input went into another run`;
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
