import type { MessagePort } from 'node:worker_threads';
import { crashPoint } from '../storage/crash-point.ts';
import type { ObjectSupply } from '../storage/object-supply.ts';
import type { WriterContext } from '../tracing/context/writer-context.ts';
import type { BackgroundWork } from '../tracing/database/background-work.ts';
import type { Operations } from './bind-operations.ts';
import { perform } from './perform.ts';
import {
  packError,
  type ThreadMessage,
  type ThreadNotice,
  type WorkerRequest,
  type WorkerResponse,
} from './worker-protocol.ts';

/** The maximum number of requests in a transaction. */
const MAX_GROUP_REQUESTS = 64;
/** The time after which a transaction takes no more requests. */
const GROUP_MS = 25;
/** The length of a slice of background work. */
const SLICE_MS = 5;
/** How long requests may delay a slice. */
const STARVED_MS = 50;
/** The pause after a failure, for example because the disk is full. */
const REST_MS = 5_000;

/**
 * Executes writes. Queued requests are committed together and answered after the commit. Background work runs in
 * between, with an occasional slice under load. Reads are answered between two groups of writes.
 */
export class WriterLoop {
  readonly #port: MessagePort;
  readonly #operations: Operations;
  readonly #reads: Operations;
  readonly #context: WriterContext;
  readonly #objects: ObjectSupply | undefined;
  readonly #queue: ThreadMessage[] = [];
  #scheduled = false;
  readonly #lastSlices = new Map<BackgroundWork, number>();
  /** The times until which failed work is paused. */
  readonly #rests = new Map<BackgroundWork, number>();
  #lastWrite = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param options.reads operations that only read
   * @param options.objects given if payloads may be in an object store
   */
  constructor(
    port: MessagePort,
    operations: Operations,
    context: WriterContext,
    { reads = {}, objects }: { reads?: Operations; objects?: ObjectSupply | undefined } = {},
  ) {
    this.#port = port;
    this.#operations = operations;
    this.#reads = reads;
    this.#context = context;
    this.#objects = objects;
  }

  start(): void {
    this.#port.on('message', (message: ThreadMessage) => {
      if (message !== 'close' && Object.hasOwn(this.#reads, message.operation)) {
        this.#port.postMessage(perform(this.#reads, message));
        return;
      }
      this.#queue.push(message);
      this.#schedule();
    });
    this.#schedule();
  }

  /** Wakes the background work. */
  nudge(): void {
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    if (this.#queue.length > 0) {
      if (this.#writeQueued()) {
        this.#close();
        return;
      }
      this.#lastWrite = performance.now();
    }
    const background = this.#context.db.isMaintainer
      ? this.#context.background
      : this.#context.background.filter(({ isOfEachServer }) => isOfEachServer);
    const left = background.filter((work) => {
      const now = performance.now();
      const isQuiet = this.#queue.length === 0 && now - this.#lastWrite >= (work.quietMs ?? 0);
      const isStarved = now - (this.#lastSlices.get(work) ?? 0) >= (work.starvedMs ?? STARVED_MS);
      if ((!isQuiet && !isStarved) || now < (this.#rests.get(work) ?? 0)) return true;
      const isLeft = this.#advance(work);
      this.#lastSlices.set(work, performance.now());
      return isLeft;
    });
    if (this.#queue.length > 0) this.#schedule();
    else if (left.length > 0) this.#scheduleBackground(left);
  }

  /**
   * Advances background work. Its failures do not affect requests or other work.
   * @returns whether there is more to do.
   */
  #advance(work: BackgroundWork): boolean {
    try {
      return work.advance(SLICE_MS);
    } catch (error) {
      this.#forget();
      this.#rests.set(work, performance.now() + REST_MS);
      this.#port.postMessage({ notice: { problem: packError(error) } } satisfies ThreadNotice);
      return true;
    }
  }

  /**
   * Schedules the next turn: immediately if some work need not wait, otherwise when the first pause or wait for a quiet
   * moment ends.
   */
  #scheduleBackground(left: readonly BackgroundWork[]): void {
    const now = performance.now();
    const waits = left.map((work) =>
      Math.max((work.quietMs ?? 0) - (now - this.#lastWrite), (this.#rests.get(work) ?? 0) - now),
    );
    const wait = Math.min(...waits);
    if (wait <= 0) this.#schedule();
    else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#schedule(), wait);
    }
  }

  /** Commits queued requests, and answers them. @returns whether the message after them was `close`. */
  #writeQueued(): boolean {
    const [alone] = this.#queue;
    if (this.#queue.length > 1 || alone === undefined || alone === 'close') return this.#writeGroup();
    this.#queue.length = 0;
    this.#port.postMessage(this.#writeAlone(alone));
    return false;
  }

  /** Like `#writeQueued`, but always commits all requests in one transaction. */
  #writeGroup(): boolean {
    const answers: WorkerResponse[] = [];
    const until = performance.now() + GROUP_MS;
    let isClosing = false;
    try {
      this.#context.db.transaction(() => {
        while (answers.length < MAX_GROUP_REQUESTS && performance.now() < until) {
          const message = this.#queue.shift();
          if (message === undefined) break;
          if (message === 'close') {
            isClosing = true;
            break;
          }
          answers.push(this.#write(message));
        }
        crashPoint('before-commit');
      });
      crashPoint('after-commit');
    } catch (error) {
      // The commit failed, so nothing of the group is stored, and all callers get the error.
      this.#forget();
      const packed = packError(error);
      for (const answer of answers) this.#port.postMessage({ id: answer.id, error: packed });
      answers.length = 0;
    }
    for (const answer of answers) this.#port.postMessage(answer);
    return isClosing;
  }

  #close(): void {
    clearTimeout(this.#timer);
    for (const work of this.#context.background) work.stop?.();
    this.#context.db.close();
    this.#port.close();
  }

  /** Executes one request in its own transaction. */
  #writeAlone(request: WorkerRequest): WorkerResponse {
    const response = this.#write(request, () => crashPoint('before-commit'));
    crashPoint('after-commit');
    return response;
  }

  /** Executes one request in a transaction, or in a savepoint of one, so that its failure does not affect others. */
  #write(request: WorkerRequest, done = () => {}): WorkerResponse {
    try {
      return this.#context.db.transaction(() => {
        const response = perform(this.#operations, request, this.#objects);
        if (!('result' in response)) throw new Failed(response);
        done();
        return response;
      });
    } catch (error) {
      this.#forget();
      return error instanceof Failed ? error.response : { id: request.id, error: packError(error) };
    }
  }

  /** Drops caches, because cached rows may have been rolled back. */
  #forget(): void {
    this.#context.caches.clear();
    this.#context.blocks.discard();
    this.#context.words.forget();
  }
}

/** Rolls back the transaction of a request that failed. */
class Failed extends Error {
  readonly response: WorkerResponse;
  constructor(response: WorkerResponse) {
    super('The request was refused.');
    this.response = response;
  }
}
