import type { WorkerThread } from './worker-thread.ts';

/** A thread that is started for the first call, and again after it has ended or has been ended for lack of calls. */
export class RestingThread {
  readonly #start: () => WorkerThread;
  readonly #restMs: number;
  #thread: WorkerThread | undefined;
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #ending = 0;

  /** @param restMs milliseconds without a call after which it ends. */
  constructor(start: () => WorkerThread, restMs: number) {
    this.#start = start;
    this.#restMs = restMs;
  }

  /** Whether it has its files open, which it also has while it ends. */
  get isRunning(): boolean {
    return this.#ending > 0 || (this.#thread !== undefined && !this.#thread.ended);
  }

  async call(...call: Parameters<WorkerThread['call']>): Promise<never> {
    if (this.#thread === undefined || this.#thread.ended) this.#thread = this.#start();
    this.#underWay++;
    try {
      return await this.#thread.call(...call);
    } finally {
      this.#underWay--;
      this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#rest(), this.#restMs).unref();
    }
  }

  /** Ends it after what it has been asked. */
  async close(withinMs?: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#end(withinMs);
    await this.#ended;
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
