import type { LiveRun } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';

export interface RunLedgerOptions {
  /** The unfinished runs, which only the ledger adds and removes. */
  readonly live: LiveRuns;
  /** The maximum number of concurrent runs in this deployment. */
  readonly concurrency: number;
}

/**
 * Decides which run starts when: one at a time per thread, in the order in which they were accepted, delayed
 * ones when they are due, and at most as many at once as there are slots. It neither waits nor stores, so
 * each decision takes all earlier ones into account. Times are in ms since the epoch.
 */
export class RunLedger {
  readonly #live: LiveRuns;
  readonly #concurrency: number;
  /** Accepted runs that are not stored yet, and may never be. */
  readonly #unstored = new Set<LiveRun>();
  /** First runs of their threads that are waiting for a slot. */
  readonly #ready = new Set<LiveRun>();
  /** Runs that have a slot. */
  readonly #started = new Set<LiveRun>();
  #startsMore = true;
  #isPaused = false;
  /**
   * Runs that wait for their own calls to this server, with the number of calls. They release their slots
   * until these calls end.
   */
  readonly #lent = new Map<LiveRun, number>();

  constructor({ live, concurrency }: RunLedgerOptions) {
    this.#live = live;
    this.#concurrency = concurrency;
  }

  /**
   * Adds a run to its thread, to be followed by `confirm` or `withdraw`.
   * @returns whether the run may start once it is stored. If not, call `schedule` then.
   */
  accept(run: LiveRun, now: number): boolean {
    const isFree = this.#live.onThread(run.identity.threadId).every((other) => !isDue(other, now));
    this.#live.add(run);
    this.#unstored.add(run);
    const starts = isDue(run, now) && isFree && this.#hasRoom();
    if (starts) this.#start(run);
    return starts;
  }

  /** Adds a run of an earlier server to its thread. */
  restore(run: LiveRun): void {
    this.#live.add(run);
  }

  /** Called when an accepted run has been stored. */
  confirm(run: LiveRun): void {
    this.#unstored.delete(run);
  }

  /** Whether an accepted run has been confirmed. */
  isStored(run: LiveRun): boolean {
    return !this.#unstored.has(run);
  }

  /** Removes a run that could not be stored. Others may be waiting for its thread and its slot. */
  withdraw(run: LiveRun): void {
    this.#unstored.delete(run);
    this.remove(run);
    this.release(run);
  }

  /**
   * Queues the first due run of a thread for a slot, unless another run of the thread is already running or
   * queued.
   * @returns the time until a run of the thread is due, in ms; undefined if there is nothing to wait for.
   */
  schedule(threadId: string, now: number): number | undefined {
    // A run that was canceled before its turn is about to end.
    const line = this.#live.onThread(threadId).filter((run) => run.state === 'running' || !run.cancelled);
    if (line.length === 0 || line.some((run) => run.state === 'running' || this.#ready.has(run))) return;
    // A run that an earlier server started continues from the thread's newest checkpoint, so nothing may come
    // in between.
    const interrupted = line.find(({ startedAt }) => startedAt !== undefined);
    const next = interrupted ?? line.find((run) => isDue(run, now));
    if (next === undefined) return Math.min(...line.map(({ identity }) => identity.startAfter)) - now;
    if (!this.#unstored.has(next)) this.#ready.add(next);
    return undefined;
  }

  /**
   * Starts the run that has waited longest for a slot; undefined if no run is waiting, or no slot is free.
   */
  claim(): LiveRun | undefined {
    const [next] = this.#ready;
    if (next === undefined || !this.#hasRoom()) return undefined;
    this.#ready.delete(next);
    this.#start(next);
    return next;
  }

  /**
   * First runs of their threads that are waiting for a slot, the longest wait first; none once starting has
   * stopped.
   */
  get waiting(): readonly LiveRun[] {
    return this.#mayStart ? [...this.#ready] : [];
  }

  /** The number of slots that are neither used nor needed by waiting runs. */
  get free(): number {
    return this.#mayStart ? Math.max(0, this.#concurrency - this.#started.size - this.#ready.size) : 0;
  }

  /** Stops starting runs. */
  stopStarting(): void {
    this.#startsMore = false;
  }

  /** Whether the deployment is paused: pending runs then wait, and started ones continue. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  set isPaused(isPaused: boolean) {
    this.#isPaused = isPaused;
  }

  /** Called when a pending run has been canceled, so that it is not started. */
  skip(run: LiveRun): void {
    this.#ready.delete(run);
  }

  /**
   * Removes a run that has ended from its thread, so that the next one can be scheduled. The run keeps its
   * slot until `release`.
   */
  remove(run: LiveRun): void {
    this.#live.remove(run);
    this.#ready.delete(run);
  }

  /** Releases the slot of a run when nothing works on it any longer. */
  release(run: LiveRun): void {
    this.#lent.delete(run);
    this.#started.delete(run);
  }

  /**
   * Releases the slot of a run while its code waits for this server, for example for another run, which might
   * otherwise wait for that slot forever.
   * @returns a function that takes the slot again.
   */
  lend(runId: string): () => void {
    const run = this.#live.find(runId);
    if (run?.state !== 'running') return () => {};
    this.#lent.set(run, (this.#lent.get(run) ?? 0) + 1);
    this.#started.delete(run);
    return () => {
      const times = this.#lent.get(run);
      if (times === undefined) return;
      if (times > 1) return void this.#lent.set(run, times - 1);
      this.#lent.delete(run);
      this.#started.add(run);
    };
  }

  #hasRoom(): boolean {
    return this.#mayStart && this.#started.size < this.#concurrency;
  }

  get #mayStart(): boolean {
    return this.#startsMore && !this.#isPaused;
  }

  #start(run: LiveRun): void {
    this.#started.add(run);
    run.start();
  }
}

/**
 * Whether a run has started or may start. One that has started does not become delayed when the clock is set
 * back.
 */
function isDue({ state, identity }: LiveRun, now: number): boolean {
  return state === 'running' || identity.startAfter <= now;
}
