import { RestingThread } from './resting-thread.ts';
import type { WorkerThread } from './worker-thread.ts';

/** How long a question waits for a thread that reads before another one is started. */
const PATIENCE_MS = 50;

type Question = Parameters<WorkerThread['call']>;

interface Queued {
  readonly question: Question;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface ReadingThreadsOptions {
  /** @param onFree is to be called when the thread has nothing to do although not all is answered. */
  readonly start: (onFree: () => void) => WorkerThread;
  readonly restMs: number;
  /** How many there may be. */
  readonly count: number;
}

/**
 * Threads that read, each of which answers one question at a time, so that a slow one holds up no others. Those beyond the
 * first are started when a question has waited, and all end for lack of questions.
 */
export class ReadingThreads {
  readonly #threads: readonly RestingThread[];
  readonly #queued: Queued[] = [];
  #waiting: NodeJS.Timeout | undefined;

  constructor({ start, restMs, count }: ReadingThreadsOptions) {
    const make = () => new RestingThread(() => start(() => this.#ask()), restMs);
    this.#threads = Array.from({ length: count }, make);
  }

  /** Whether any has its files open. */
  get isRunning(): boolean {
    return this.#threads.some((thread) => thread.isRunning);
  }

  /** Whether any answers without having to start. */
  get isReady(): boolean {
    return this.#threads.some((thread) => thread.isReady);
  }

  /** Starts one, unless any runs. */
  start(): void {
    if (!this.isRunning) this.#threads[0]?.start();
  }

  call(...question: Question): Promise<never> {
    return new Promise((resolve, reject) => {
      this.#queued.push({ question, resolve, reject });
      this.#ask();
    });
  }

  /** Ends them after what they have been asked. */
  async close(withinMs?: number): Promise<void> {
    clearTimeout(this.#waiting);
    // Questions that wait are asked of the first one, which is started for them if need be.
    for (const queued of this.#queued.splice(0)) this.#give(this.#threads[0], queued);
    await Promise.all(this.#threads.map((thread) => thread.close(withinMs)));
  }

  /** Gives the questions that wait, in their order, to threads that are free. */
  #ask(): void {
    while (this.#queued.length > 0) {
      const free = this.#threads.find((thread) => thread.isFree);
      const first = this.isRunning ? undefined : this.#threads[0];
      const thread = free ?? first;
      if (thread === undefined) {
        this.#startLater();
        return;
      }
      this.#give(thread, this.#queued.shift());
    }
  }

  #startLater(): void {
    if (this.#threads.every((thread) => thread.isRunning)) return;
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      const resting = this.#threads.find((thread) => !thread.isRunning);
      if (this.#queued.length > 0 && resting !== undefined) this.#give(resting, this.#queued.shift());
      this.#ask();
    }, PATIENCE_MS).unref();
  }

  #give(thread: RestingThread | undefined, queued: Queued | undefined): void {
    if (thread === undefined || queued === undefined) return;
    const { question, resolve, reject } = queued;
    void thread
      .call(...question)
      .then(resolve, reject)
      .then(() => this.#ask());
  }
}
