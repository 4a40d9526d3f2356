import { PendingReply, Reply } from '../../http/reply.ts';
import type { OpenStream } from '../../http/router.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { RunScheduler } from '../runs/run-scheduler.ts';
import { type Runs, toRun, waitResult } from '../runs/runs.ts';
import { followRun } from './follow-run.ts';

/**
 * How a caller reads a run in progress: which events, from where, and whether the run is canceled when the
 * caller disconnects.
 */
export interface JoinRequest {
  readonly modes: readonly string[] | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly cancelOnDisconnect: boolean;
  readonly lastEventId: string | undefined;
}

/**
 * Answers requests for runs, with their events or their result. Cancels a run whose caller disconnects, if
 * requested.
 */
export class RunResponses {
  readonly #runs: Pick<Runs, 'require' | 'findLive' | 'waitForResult' | 'stream'>;
  readonly #scheduler: Pick<RunScheduler, 'cancel'>;

  constructor(
    runs: Pick<Runs, 'require' | 'findLive' | 'waitForResult' | 'stream'>,
    scheduler: Pick<RunScheduler, 'cancel'>,
  ) {
    this.#runs = runs;
    this.#scheduler = scheduler;
  }

  /** Streams a new run to its caller. */
  async stream(
    run: LiveRun,
    call: { body: { on_disconnect: 'cancel' | 'continue' }; query: { namespace?: string[] | undefined } },
    open: OpenStream,
  ): Promise<void> {
    const reader = open(locations(run));
    if (call.body.on_disconnect === 'cancel') this.#cancelWhenAbandoned(run, reader.closed);
    await followRun(run.stream, reader, { after: 0, namespaces: call.query.namespace });
  }

  /** Answers with the result of a new run, when it has ended. */
  wait(run: LiveRun, onDisconnect: 'cancel' | 'continue', signal: AbortSignal): PendingReply {
    if (onDisconnect === 'cancel') this.#cancelOnAbort(run, signal);
    return new PendingReply(run.outcome.then(waitResult), locations(run));
  }

  /** Answers with a new run immediately. */
  async create(run: LiveRun) {
    return new Reply(toRun(await this.#runs.require(run.identity.runId)), { headers: locations(run) });
  }

  /** Answers with the result of a run that was started earlier, when it has ended. @throws HttpError 404 */
  async join(
    { run_id, thread_id }: { run_id: string; thread_id: string },
    cancelOnDisconnect: boolean,
    signal: AbortSignal,
  ): Promise<PendingReply> {
    const row = await this.#runs.require(run_id, thread_id);
    const live = await this.#runs.findLive(row);
    if (cancelOnDisconnect && live !== undefined) this.#cancelOnAbort(live, signal);
    const result = this.#runs.waitForResult(row);
    // Reading the result of an ended run may fail, and the error can only have its own status before anything
    // is sent.
    if (live === undefined) await result;
    return new PendingReply(result);
  }

  /** Streams a run that was started earlier. @throws HttpError 404 */
  async joinStream(
    { run_id, thread_id }: { run_id: string; thread_id?: string },
    request: JoinRequest,
    open: OpenStream,
  ): Promise<void> {
    const row = await this.#runs.require(run_id, thread_id);
    const followed = await this.#runs.stream(row);
    const reader = open(locationsOf(row.run_id, thread_id));
    const live = await this.#runs.findLive(row);
    if (request.cancelOnDisconnect && live !== undefined) this.#cancelWhenAbandoned(live, reader.closed);
    await followRun(followed, reader, {
      after: eventNumber(request.lastEventId),
      modes: request.modes,
      namespaces: request.namespaces,
    });
  }

  #cancelOnAbort(run: LiveRun, signal: AbortSignal): void {
    // The client may have disconnected while the run was being accepted.
    if (signal.aborted) this.#abandon(run);
    else signal.addEventListener('abort', () => this.#abandon(run), { once: true });
  }

  #cancelWhenAbandoned(run: LiveRun, closed: Promise<void>): void {
    void Promise.race([closed.then(() => 'abandoned'), run.outcome.then(() => 'ended')]).then((first) => {
      if (first === 'abandoned') this.#abandon(run);
    });
  }

  #abandon(run: LiveRun): void {
    // If this cannot be stored, no client is left to learn about it.
    this.#scheduler.cancel(run, 'interrupt', 'client disconnected').catch(() => {});
  }
}

function locations({ identity: { runId, threadId, stateless } }: LiveRun): Record<string, string> {
  return locationsOf(runId, stateless ? undefined : threadId);
}

/**
 * The headers that name a run and its stream. The paths are relative, and the first ends with the run's ID,
 * because the public clients parse it (docs/interface/agent-server.md#runs).
 */
function locationsOf(runId: string, threadId: string | undefined): Record<string, string> {
  const path = threadId === undefined ? `/runs/${runId}` : `/threads/${threadId}/runs/${runId}`;
  return { 'content-location': path, location: `${path}/stream` };
}

/**
 * The number of an event in Last-Event-ID. `-1` and anything that is not a number mean the start
 * (docs/interface/agent-server.md#streams).
 */
function eventNumber(lastEventId: string | undefined): number {
  const number = Number(lastEventId ?? '-1');
  return Number.isInteger(number) && number > 0 ? number : 0;
}
