import { type Transferable, Worker } from 'node:worker_threads';
import { ignoreRejection } from '../../process/settled.ts';
import { HttpError } from '../http/errors.ts';
import type { FetchedObjects } from '../storage/object-supply.ts';
import {
  type ThreadNotice,
  unpackError,
  type WorkerGreeting,
  type WorkerRequest,
  type WorkerResponse,
} from './worker-protocol.ts';

/** Provides objects that operations lack. */
export interface ObjectFetcher {
  /** @throws HttpError 503 while the store cannot be used. */
  fetch(names: readonly string[]): Promise<FetchedObjects>;
  /** Drops fetched objects that are no longer needed. */
  release(fetched: FetchedObjects): void;
}

/** A call that has not been answered. */
interface Waiting {
  readonly request: WorkerRequest;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that executes calls of its operations, one after the other. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #objects: ObjectFetcher | undefined;
  readonly #onFree: (() => void) | undefined;
  /** The number of calls that wait for objects. */
  #awaitingObjects = 0;
  #nextId = 0;
  #ended: Error | undefined;
  #isOpen = false;
  /** Resolves when the thread is ready; rejects when it could not start. */
  readonly ready: Promise<void>;

  /**
   * @param options.onNotice called for each notice of the thread.
   * @param options.objects undefined without an object store.
   * @param options.onFree called when a call waits for objects, so that the thread is idle.
   */
  constructor(
    url: URL,
    data: object,
    options: {
      onNotice?: (notice: ThreadNotice['notice']) => void;
      objects?: ObjectFetcher | undefined;
      onFree?: () => void;
    } = {},
  ) {
    this.#objects = options.objects;
    this.#onFree = options.onFree;
    this.#worker = new Worker(url, { workerData: data });
    let settle: { resolve: () => void; reject: (error: Error) => void };
    this.ready = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    const end = (error: Error) => {
      this.#ended ??= error;
      settle.reject(error);
      for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(error);
    };
    this.#worker.on('message', (message: WorkerResponse | WorkerGreeting | ThreadNotice) => {
      if ('ready' in message) {
        this.#isOpen = true;
        settle.resolve();
      } else if ('failed' in message) end(unpackError(message.failed));
      else if ('notice' in message) options.onNotice?.(message.notice);
      else if ('needs' in message) void this.#supply(message.id, message.needs);
      else this.#answer(message);
    });
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('The storage thread has stopped.')));
    // The callers get the error.
    ignoreRejection(this.ready);
  }

  /**
   * Calls an operation of the thread.
   * @param transfer buffers of the argument that are transferred instead of copied.
   * @returns the result of the operation; the caller declares its type (`Call`).
   */
  call(operation: string, argument: unknown, transfer: readonly Transferable[] = []): Promise<never> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const request = { id: this.#nextId++, operation, argument };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { request, resolve, reject });
      this.#worker.postMessage(request, [...transfer]);
    });
  }

  /** Whether the thread has its files open, and has not ended. */
  get isReady(): boolean {
    return this.#isOpen && !this.ended;
  }

  /** Whether the thread is idle. */
  get isFree(): boolean {
    return !this.ended && this.#waiting.size <= this.#awaitingObjects;
  }

  /** Whether the thread has ended. */
  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Ends the thread after its pending calls.
   * @param withinMs the time after which the thread is ended even during a call.
   */
  async close(withinMs?: number): Promise<void> {
    if (this.#ended !== undefined) return;
    const exited = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
    this.#worker.postMessage('close');
    const timer =
      withinMs === undefined ? undefined : setTimeout(() => void this.#worker.terminate(), withinMs);
    await exited;
    clearTimeout(timer);
  }

  #answer(message: Exclude<WorkerResponse, { needs: unknown }>): void {
    const waiting = this.#take(message.id);
    if ('error' in message) waiting?.reject(unpackError(message.error));
    else waiting?.resolve(message.result as never);
  }

  /**
   * Calls an operation again, with the objects that it lacked. Such an operation must not have transferred
   * buffers.
   */
  async #supply(id: number, needs: readonly string[]): Promise<void> {
    this.#awaitingObjects++;
    this.#onFree?.();
    try {
      await this.#supplyNow(id, needs);
    } finally {
      this.#awaitingObjects--;
    }
  }

  async #supplyNow(id: number, needs: readonly string[]): Promise<void> {
    try {
      if (this.#objects === undefined)
        throw new HttpError(
          503,
          'A payload is in the object store of the platform, which this server does not use. Send the request to a server that was started with --objects.',
        );
      const fetched = await this.#objects.fetch(needs);
      const waiting = this.#waiting.get(id);
      if (waiting === undefined) return this.#objects.release(fetched);
      const request = { ...waiting.request, objects: { ...waiting.request.objects, ...fetched } };
      this.#waiting.set(id, { ...waiting, request });
      this.#worker.postMessage(request);
    } catch (error) {
      this.#take(id)?.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting?.request.objects !== undefined) this.#objects?.release(waiting.request.objects);
    return waiting;
  }
}
