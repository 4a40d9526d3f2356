import type { WorkerThread } from './worker-thread.ts';

const RESTS: Rests = { afterCallMs: 60_000, afterStartMs: 1_000, minRestMs: 60_000 };
/** The maximum time between two checks of the clock, because timers stop while the machine sleeps. */
const MAX_TIMER_MS = 60_000;

/** When an idle thread ends. */
export interface Rests {
  /** The time after the last call. */
  readonly afterCallMs: number;
  /** The time after a start without a call. */
  readonly afterStartMs: number;
  /** The thread stays if its next work is due sooner than this. */
  readonly minRestMs: number;
}

interface WritingThreadOptions {
  readonly start: () => WorkerThread;
  /** Called when a thread has died unexpectedly. */
  readonly onDied: () => void;
  /**
   * Whether the thread may end when idle. The answer may become `false` only after a call of this thread, so
   * that the thread is running by then.
   */
  readonly mayRest: () => boolean;
  readonly rests?: Rests;
}

/**
 * The thread that stores traces. It takes 12 MB or more, so it ends when idle, and is started again for the next call
 * and when something expires.
 */
export class WritingThread {
  readonly #options: WritingThreadOptions;
  readonly #rests: Rests;
  #thread: WorkerThread | undefined;
  /** Resolves when the previous thread has ended, because only one may have the file open. */
  #ending: Promise<void> | undefined;
  #calls = 0;
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: WritingThreadOptions) {
    this.#options = options;
    this.#rests = options.rests ?? RESTS;
  }

  get isRunning(): boolean {
    return this.#thread !== undefined && !this.#thread.ended;
  }

  /** Starts the thread unless it is running; resolves when its files are open. */
  async open(): Promise<void> {
    this.#calls++;
    if (this.#ending !== undefined) await this.#ending;
    await this.#live().ready;
    this.#checkAfter(this.#rests.afterStartMs);
  }

  async call(...call: Parameters<WorkerThread['call']>): Promise<never> {
    this.#calls++;
    this.#underWay++;
    try {
      if (this.#ending !== undefined) await this.#ending;
      return await this.#live().call(...call);
    } finally {
      this.#underWay--;
      this.#checkAfter(this.#rests.afterCallMs);
    }
  }

  /**
   * Ends the thread after its pending calls.
   * @param withinMs the time after which the thread is ended even during a call; unlimited by default.
   */
  async close(withinMs?: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#ending;
    await this.#thread?.close(withinMs);
  }

  #live(): WorkerThread {
    if (this.#thread?.ended) {
      this.#options.onDied();
      this.#thread = undefined;
    }
    this.#thread ??= this.#options.start();
    return this.#thread;
  }

  /** Checks after a time whether the thread can end. */
  #checkAfter(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => void this.#rest(), ms).unref();
  }

  /** Ends the thread if it is idle, until its next work is due. */
  async #rest(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    if (thread.ended) return this.#wake();
    // This is checked first: to read when work is due, the servers of a team would take turns.
    if (this.#underWay > 0 || !this.#options.mayRest()) {
      this.#checkAfter(this.#rests.afterCallMs);
      return;
    }
    const calls = this.#calls;
    // If the thread has died in the meantime, the next check notices that.
    const dueAt = await this.#dueAt(thread).catch(() => Number.NEGATIVE_INFINITY);
    if (this.#closed || calls !== this.#calls) return;
    const waitMs = dueAt - Date.now();
    if (waitMs < this.#rests.minRestMs) {
      this.#checkAfter(this.#rests.afterCallMs);
      return;
    }
    this.#thread = undefined;
    this.#ending = thread.close().finally(() => {
      this.#ending = undefined;
    });
    this.#wakeAt(dueAt);
  }

  #wakeAt(dueAt: number): void {
    const waitMs = Math.min(Math.max(dueAt - Date.now(), 0), MAX_TIMER_MS);
    const look = () => (Date.now() < dueAt ? this.#wakeAt(dueAt) : this.#wake());
    this.#timer = setTimeout(look, waitMs).unref();
  }

  /** When the thread's own next work is due, in milliseconds since 1970. */
  async #dueAt(thread: WorkerThread): Promise<number> {
    await thread.ready;
    return thread.call('nextWorkAt', {});
  }

  #wake(): void {
    if (this.#closed) return;
    // No request waits here, so a thread that cannot start, for example on a full disk, is started again later.
    this.open().catch(() => this.#checkAfter(this.#rests.afterCallMs));
  }
}
