import type { WorkerThread } from './worker-thread.ts';

/** A thread that is started for a call, and again for the next call after it has ended, unexpectedly or when idle. */
export class OnDemandThread {
  readonly #start: () => WorkerThread;
  readonly #restMs: number;
  #thread: WorkerThread | undefined;
  /** The number of calls that have not been answered. */
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when all threads that were told to end have ended. */
  #ended: Promise<unknown> = Promise.resolve();
  /** The number of threads that are ending. */
  #ending = 0;

  /** @param restMs the time without a call after which the thread ends, in milliseconds. */
  constructor(start: () => WorkerThread, restMs: number) {
    this.#start = start;
    this.#restMs = restMs;
  }

  /** Whether the thread has its files open, which includes the time while it is ending. */
  get isRunning(): boolean {
    return this.#ending > 0 || (this.#thread !== undefined && !this.#thread.ended);
  }

  /** Whether the thread can answer at once; a starting thread first has to open its files. */
  get isReady(): boolean {
    return this.#thread?.isReady === true;
  }

  /** Whether the thread is running or starting, and idle. */
  get isFree(): boolean {
    return this.#thread?.isFree === true;
  }

  /** Starts the thread unless it is running. */
  start(): void {
    this.#live();
    this.#restLater();
  }

  async call(...call: Parameters<WorkerThread['call']>): Promise<never> {
    this.#underWay++;
    try {
      return await this.#live().call(...call);
    } finally {
      this.#underWay--;
      this.#restLater();
    }
  }

  /**
   * Ends the thread after its pending calls.
   * @param withinMs the time after which the thread is ended even during a call; unlimited by default.
   */
  async close(withinMs?: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#end(withinMs);
    await this.#ended;
  }

  #live(): WorkerThread {
    if (this.#thread === undefined || this.#thread.ended) this.#thread = this.#start();
    return this.#thread;
  }

  #restLater(): void {
    this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#rest(), this.#restMs).unref();
  }

  #rest(): void {
    if (this.#underWay === 0) this.#end();
  }

  #end(withinMs?: number): void {
    const closing = this.#thread?.close(withinMs);
    this.#thread = undefined;
    if (closing === undefined) return;
    this.#ending++;
    this.#ended = Promise.all([this.#ended, closing]).finally(() => this.#ending--);
  }
}
