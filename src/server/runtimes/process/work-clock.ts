/** A callback that is due at a time of the clock. */
interface Alarm {
  remainingMs: number;
  /** Undefined while the clock is stopped. */
  timer: NodeJS.Timeout | undefined;
  startedAt: number;
  readonly callback: () => void;
}

/** A clock that stops while something holds the process, such as a debugger. */
export class WorkClock {
  readonly #alarms = new Set<Alarm>();
  readonly #stops = new Set<symbol>();

  get isStopped(): boolean {
    return this.#stops.size > 0;
  }

  /** Stops the clock. @returns a function that ends this stop; the clock continues when there is no other stop. */
  stop(): () => void {
    if (!this.isStopped) this.#halt();
    const stop = Symbol();
    this.#stops.add(stop);
    return () => {
      if (this.#stops.delete(stop) && !this.isStopped) for (const alarm of this.#alarms) this.#start(alarm);
    };
  }

  /**
   * Calls back after milliseconds of this clock, not counting those in which it is stopped.
   * @returns a function that cancels the callback.
   */
  after(ms: number, callback: () => void): () => void {
    const alarm: Alarm = { remainingMs: ms, timer: undefined, startedAt: 0, callback };
    this.#alarms.add(alarm);
    if (!this.isStopped) this.#start(alarm);
    return () => {
      clearTimeout(alarm.timer);
      this.#alarms.delete(alarm);
    };
  }

  #halt(): void {
    for (const alarm of this.#alarms) {
      clearTimeout(alarm.timer);
      alarm.timer = undefined;
      alarm.remainingMs -= performance.now() - alarm.startedAt;
    }
  }

  #start(alarm: Alarm): void {
    alarm.startedAt = performance.now();
    alarm.timer = setTimeout(
      () => {
        this.#alarms.delete(alarm);
        alarm.callback();
      },
      Math.max(0, alarm.remainingMs),
    );
  }
}
