/** How many times in a row a process may be killed from outside while it loads, before loading fails. */
const MAX_KILLS = 3;
/** If a process lived for longer than this, neither its end nor the earlier ones are counted. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/** Counts how many times in a row a process or container has ended by itself, and decides when to start it again. */
export class Deaths {
  #count = 0;
  /** The kills in a row while the process was loading. */
  #kills = 0;

  /** Forgets earlier ends, because the user has changed or restarted something. */
  reset(): void {
    this.#count = 0;
    this.#kills = 0;
  }

  /** Called when a process that had loaded has ended after the given number of milliseconds. */
  note(livedMs: number): void {
    this.#count = livedMs > STEADY_MS ? 0 : this.#count + 1;
    this.#kills = 0;
  }

  /** Called when a process has loaded: earlier kills no longer count. */
  noteLoaded(): void {
    this.#kills = 0;
  }

  /** Called when a process was killed while it was loading. @returns whether to start it again. */
  noteKill(): boolean {
    if (this.#kills >= MAX_KILLS) return false;
    this.#kills++;
    this.#count++;
    return true;
  }

  /**
   * Milliseconds until the process is started again: none if it had lived for longer than `STEADY_MS`, otherwise pauses
   * that double.
   */
  get pauseMs(): number {
    return this.#count === 0 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#count - 1));
  }
}
