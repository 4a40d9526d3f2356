import type { WorkerThread } from './worker-thread.ts';

/** A thread that is started on demand, and again after it has ended, by itself or for lack of calls. */
export class OnDemandThread {
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

  /** Whether its files are open, including while it is ending. */
  get isRunning(): boolean {
    return this.#ending > 0 || (this.#thread !== undefined && !this.#thread.ended);
  }

  /** Whether it answers at once; a starting thread first has to open its files. */
  get isReady(): boolean {
    return this.#thread?.isReady === true;
  }

  /** Whether it is running or starting, and idle. */
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

  /** Ends it after its pending calls. */
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
