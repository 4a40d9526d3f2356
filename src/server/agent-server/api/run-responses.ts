import { PendingReply, Reply } from '../../http/reply.ts';
import type { OpenStream } from '../../http/router.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { RunScheduler } from '../runs/run-scheduler.ts';
import { type Runs, toRun, waitResult } from '../runs/runs.ts';
import { followRun } from './follow-run.ts';

/**
 * How a caller wants to read a run in progress: what to show, from where, and what happens to the run when the caller
 * disconnects.
 */
export interface JoinRequest {
  readonly modes: readonly string[] | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly cancelOnDisconnect: boolean;
  readonly lastEventId: string | undefined;
}

/** Answers requests for runs, streamed or at their end. Cancels a run whose caller disconnects, if requested. */
export class RunResponses {
  readonly #runs: Runs;
  readonly #scheduler: RunScheduler;

  constructor(runs: Runs, scheduler: RunScheduler) {
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

  /** The result of a run that was started earlier. @throws HttpError 404 */
  async join(
    { run_id, thread_id }: { run_id: string; thread_id: string },
    cancelOnDisconnect: boolean,
    signal: AbortSignal,
  ): Promise<PendingReply> {
    const row = await this.#runs.require(run_id, thread_id);
    const live = await this.#runs.findLive(row);
    if (cancelOnDisconnect && live !== undefined) this.#cancelOnAbort(live, signal);
    const result = this.#runs.waitForResult(row);
    // An error can only have its own status as long as nothing has been sent.
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
    const location = locationOf(row.run_id, thread_id);
    const reader = open({ 'content-location': location, location: `${location}/stream` });
    const live = await this.#runs.findLive(row);
    if (request.cancelOnDisconnect && live !== undefined) this.#cancelWhenAbandoned(live, reader.closed);
    await followRun(followed, reader, {
      after: eventNumber(request.lastEventId),
      modes: request.modes,
      namespaces: request.namespaces,
    });
  }

  #cancelOnAbort(run: LiveRun, signal: AbortSignal): void {
    signal.addEventListener('abort', () => this.#abandon(run), { once: true });
  }

  #cancelWhenAbandoned(run: LiveRun, closed: Promise<void>): void {
    void Promise.race([closed.then(() => 'abandoned'), run.outcome.then(() => 'ended')]).then((first) => {
      if (first === 'abandoned') this.#abandon(run);
    });
  }

  #abandon(run: LiveRun): void {
    // The client has disconnected, so it cannot be told that this was not stored.
    this.#scheduler.cancel(run, 'interrupt', 'client disconnected').catch(() => {});
  }
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
