import type { WorkerThread } from './worker-thread.ts';

/** A thread that is started when it is needed, and again after it has ended or has been ended for lack of calls. */
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

  /** Whether it answers at once: one that is being started answers when it has its files open. */
  get isReady(): boolean {
    return this.#thread?.isReady === true;
  }

  /** Whether it runs or is being started, and is at work on nothing. */
  get isFree(): boolean {
    return this.#thread?.isFree === true;
  }

  /** Starts it, unless it runs. */
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

  /** Ends it after what it has been asked. */
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
