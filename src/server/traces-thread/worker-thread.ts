import { type Transferable, Worker } from 'node:worker_threads';
import {
  unpackError,
  type WorkerGreeting,
  type WorkerResponse,
  type WriterNotice,
} from './worker-protocol.ts';

/** Operations by name, as the thread implements them. */
export type Operations = Readonly<Record<string, (argument: never) => unknown>>;

/** A thread that answers calls of its operations, one after the other. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #nextId = 0;
  #ended: Error | undefined;
  /** Resolves when the thread serves; rejects when it could not start. */
  readonly ready: Promise<void>;

  /** @param onNotice hears what changed outside of a call. */
  constructor(url: URL, data: object, onNotice: (notice: WriterNotice['notice']) => void = () => {}) {
    this.#worker = new Worker(url, { workerData: data });
    let settle: { resolve: () => void; reject: (error: Error) => void };
    this.ready = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    const end = (error: Error) => {
      this.#ended ??= error;
      settle.reject(error);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    this.#worker.on('message', (message: WorkerResponse | WorkerGreeting | WriterNotice) => {
      if ('ready' in message) settle.resolve();
      else if ('failed' in message) end(unpackError(message.failed));
      else if ('notice' in message) onNotice(message.notice);
      else this.#answer(message);
    });
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('The storage thread has stopped.')));
    // Callers get the error; without a caller it must not be an unhandled rejection.
    this.ready.catch(() => {});
  }

  /**
   * @param transfer buffers of the argument that move instead of being copied.
   * @returns what the operation answers; the caller declares its type (`Call`).
   */
  call(operation: string, argument: unknown, transfer: readonly Transferable[] = []): Promise<never> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, operation, argument }, [...transfer]);
    });
  }

  /** Whether the thread is gone. */
  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Ends the thread after what it has been asked.
   * @param withinMs after which it is ended in the middle of it.
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

  #answer(message: WorkerResponse): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(unpackError(message.error));
    else waiting?.resolve(message.result as never);
  }
}
