import { OnDemandThread } from './on-demand-thread.ts';
import type { WorkerThread } from './worker-thread.ts';

/** How long a query waits for a reading thread before another one is started. */
const PATIENCE_MS = 50;

type Question = Parameters<WorkerThread['call']>;

interface Queued {
  readonly question: Question;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

interface ReadingThreadsOptions {
  /** @param onFree to be called when a call waits for the object store, so that the thread can answer others. */
  readonly start: (onFree: () => void) => WorkerThread;
  /** The idle time after which a thread ends. */
  readonly restMs: number;
  /** The maximum number of threads. */
  readonly count: number;
}

/**
 * Threads that read. Each answers one query at a time, so that a slow query does not delay others. Another thread is
 * started when a query has waited for a while, and all threads end when idle.
 */
export class ReadingThreads {
  readonly #threads: readonly OnDemandThread[];
  readonly #queued: Queued[] = [];
  #waiting: NodeJS.Timeout | undefined;

  constructor({ start, restMs, count }: ReadingThreadsOptions) {
    const make = () => new OnDemandThread(() => start(() => this.#ask()), restMs);
    this.#threads = Array.from({ length: count }, make);
  }

  /** Whether any thread has its files open. */
  get isRunning(): boolean {
    return this.#threads.some((thread) => thread.isRunning);
  }

  /** Whether any thread can answer without being started. */
  get isReady(): boolean {
    return this.#threads.some((thread) => thread.isReady);
  }

  /** Starts a thread unless one is running. */
  start(): void {
    if (!this.isRunning) this.#threads[0]?.start();
  }

  call(...question: Question): Promise<never> {
    return new Promise((resolve, reject) => {
      this.#queued.push({ question, resolve, reject });
      this.#ask();
    });
  }

  /**
   * Ends the threads after their pending queries.
   * @param withinMs the time after which a thread is ended even during a query; unlimited by default.
   */
  async close(withinMs?: number): Promise<void> {
    clearTimeout(this.#waiting);
    // Waiting queries go to the first thread, which is started if necessary.
    const [first] = this.#threads;
    while (first !== undefined && this.#queued.length > 0) this.#giveNext(first);
    await Promise.all(this.#threads.map((thread) => thread.close(withinMs)));
  }

  /** Passes waiting queries, in order, to idle threads. */
  #ask(): void {
    while (this.#queued.length > 0) {
      const free = this.#threads.find((thread) => thread.isFree);
      const first = this.isRunning ? undefined : this.#threads[0];
      const thread = free ?? first;
      if (thread === undefined) {
        this.#startLater();
        return;
      }
      this.#giveNext(thread);
    }
  }

  /** Starts another thread if the next query still waits after `PATIENCE_MS`. */
  #startLater(): void {
    if (this.#threads.every((thread) => thread.isRunning)) return;
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      const resting = this.#threads.find((thread) => !thread.isRunning);
      if (resting !== undefined) this.#giveNext(resting);
      this.#ask();
    }, PATIENCE_MS).unref();
  }

  /** Passes the query that has waited longest to a thread, if any query waits. */
  #giveNext(thread: OnDemandThread): void {
    const queued = this.#queued.shift();
    if (queued === undefined) return;
    const { question, resolve, reject } = queued;
    void thread
      .call(...question)
      .then(resolve, reject)
      .then(() => this.#ask());
  }
}
