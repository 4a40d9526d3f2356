interface Alarm {
  remainingMs: number;
  /** Undefined while the clock is stopped. */
  timer: NodeJS.Timeout | undefined;
  startedAt: number;
  readonly callback: () => void;
}

/** A clock that stops while a debugger pauses the process. */
export class WorkClock {
  readonly #alarms = new Set<Alarm>();
  #isStopped = false;

  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const alarm of this.#alarms) {
      clearTimeout(alarm.timer);
      alarm.timer = undefined;
      alarm.remainingMs -= performance.now() - alarm.startedAt;
    }
  }

  resume(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    for (const alarm of this.#alarms) this.#start(alarm);
  }

  /**
   * Calls back after milliseconds of this time.
   * @returns calls it off.
   */
  after(ms: number, callback: () => void): () => void {
    const alarm: Alarm = { remainingMs: ms, timer: undefined, startedAt: 0, callback };
    this.#alarms.add(alarm);
    if (!this.#isStopped) this.#start(alarm);
    return () => {
      clearTimeout(alarm.timer);
      this.#alarms.delete(alarm);
    };
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
