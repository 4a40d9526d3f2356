/** How often a process may be killed from outside while loading, before loading fails. */
const MAX_KILLS = 3;
/** How long a process lives whose end is not counted with those before. */
const STEADY_MS = 10_000;
const MAX_PAUSE_MS = 30_000;

/** Counts how often in a row a process has ended by itself, and says when to start it again. */
export class Deaths {
  #count = 0;

  reset(): void {
    this.#count = 0;
  }

  /** A process has ended that lived for some milliseconds. */
  note(livedMs: number): void {
    this.#count = livedMs > STEADY_MS ? 0 : this.#count + 1;
  }

  /** A process was killed while it was loading. @returns whether to start it again. */
  noteKill(): boolean {
    if (this.#count >= MAX_KILLS) return false;
    this.#count++;
    return true;
  }

  /** Milliseconds until it is started again: none the first time, then doubling pauses. */
  get pauseMs(): number {
    return this.#count === 0 ? 0 : Math.min(MAX_PAUSE_MS, 250 * 2 ** this.#count);
  }
}
