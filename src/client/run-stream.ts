import { setTimeout as sleep } from 'node:timers/promises';
import type { RunEvent } from '../contract/agent-server/run-events.ts';
import type { EventStream } from './event-stream.ts';
import { RequestError } from './request-error.ts';
import { backOffMs } from './retry.ts';
import { readRunEvent } from './run-events.ts';
import type { CallOptions } from './transport.ts';

/** With the pauses between them, this number of tries is enough for a killed server to come back. */
const REJOIN_TRIES = 6;
const FIRST_DELAY_MS = 250;

/** How a run's stream continues after its connection broke. */
export interface Rejoining {
  /** Follows the run after the last event seen, or from its start if none was seen. */
  rejoin(location: string, lastEventId: string | undefined, options: CallOptions): Promise<EventStream>;
  /** Whether the run is still pending or running; called when a stream has ended without an end event. */
  isUnfinished(run: { threadId: string; runId: string }, options: CallOptions): Promise<boolean>;
}

/**
 * The events of a run, as they arrive. Iterate once. If the connection breaks, the stream continues after the last event
 * at the `Location` that the server gave, without losing or repeating events. A stream that ends without `end` or
 * `error` is over when its run is (docs/interface/agent-server.md#streams). Iterating throws a `RequestError` when
 * rejoining failed six times in a row, and the signal's reason when aborted. Leaving the loop closes the connection;
 * the run's `on_disconnect` decides whether it continues.
 */
export class RunStream implements AsyncIterable<RunEvent> {
  /** The run's ID, from `Content-Location`; absent when the stream is not that of a single run. */
  readonly runId: string | undefined;
  readonly threadId: string | undefined;
  readonly #location: string | undefined;
  readonly #rejoining: Rejoining;
  readonly #options: CallOptions;
  #current: EventStream;
  #lastEventId: string | undefined;

  constructor(first: EventStream, rejoining: Rejoining, options: CallOptions) {
    const ids = /^(?:.*\/threads\/([^/]+))?.*\/runs\/([^/?]+)/.exec(first.header('content-location') ?? '');
    this.threadId = ids?.[1];
    this.runId = ids?.[2];
    this.#location = first.header('location');
    this.#current = first;
    this.#rejoining = rejoining;
    this.#options = options;
  }

  /** The ID of the last event that was yielded, from which the run can be followed later. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  close(): void {
    this.#current.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    let failures = 0;
    for (;;) {
      let broken: RequestError | undefined;
      try {
        for await (const event of this.#current) {
          failures = 0;
          this.#lastEventId = event.id ?? this.#lastEventId;
          const typed = readRunEvent(event);
          yield typed;
          if (typed.kind === 'end' || (typed.kind === 'error' && typed.namespace.length === 0)) return;
        }
      } catch (error) {
        if (!(error instanceof RequestError) || error.problem !== 'lost') throw error;
        broken = error;
      }
      const next = await this.#rejoin(broken, failures);
      if (next === undefined) return;
      failures += 1;
      this.#current = next;
    }
  }

  /** Rejoins the run, or finds that it is over. */
  async #rejoin(broken: RequestError | undefined, failures: number): Promise<EventStream | undefined> {
    const location = this.#location;
    if (location === undefined) {
      if (broken !== undefined) throw broken;
      return undefined;
    }
    const { signal, headers, onRejoin } = this.#options;
    const options: CallOptions = { signal, headers, retries: 0 };
    let last = broken;
    for (let attempt = failures; attempt < REJOIN_TRIES; attempt++) {
      try {
        if (broken === undefined && !(await this.#isUnfinished(options))) return undefined;
        onRejoin?.(last, attempt + 1);
        await sleep(backOffMs(FIRST_DELAY_MS, attempt), undefined, signal === undefined ? {} : { signal });
        return await this.#rejoining.rejoin(location, this.#lastEventId, options);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof RequestError) || isFinal(error)) throw error;
        last = error;
      }
    }
    throw last ?? stillRunning(location);
  }

  async #isUnfinished(options: CallOptions): Promise<boolean> {
    if (this.threadId === undefined || this.runId === undefined) return false;
    const { threadId, runId } = this;
    try {
      return await this.#rejoining.isUnfinished({ threadId, runId }, options);
    } catch (error) {
      // 404 means that the run is over; without permission, assume so.
      if (error instanceof RequestError && isFinal(error)) return false;
      throw error;
    }
  }
}

/** Whether asking again would give the same answer. */
function isFinal({ problem, status = 0 }: RequestError): boolean {
  if (problem === 'status') return status < 500 && status !== 429 && status !== 408;
  return problem === 'unreadable';
}

function stillRunning(path: string): RequestError {
  return new RequestError('The stream keeps ending before the run does. Try to follow the run again later.', {
    problem: 'lost',
    method: 'GET',
    path,
  });
}
