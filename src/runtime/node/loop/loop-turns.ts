import type { ServerLink } from '../link/server-link.ts';

/** After this time, the event loop gets a turn between two supersteps. */
const LONG_TURN_MS = 5;
/**
 * If more than this is on its way to the server, graphs wait between two supersteps until the server has read
 * it.
 */
const MAX_UNREAD_CHARS = 16 * 1_048_576;

/**
 * Lets the event loop run between supersteps. Nodes that never await would otherwise run in one turn until
 * the run ends, without events, checkpoints or cancellation. It also pauses graphs that stream faster than
 * the server reads, because LangGraph itself never waits for a reader.
 */
export class LoopTurns {
  readonly #link: ServerLink;
  #begun: number | undefined;
  #isBusy = false;

  constructor(link: ServerLink) {
    this.#link = link;
  }

  /**
   * Whether graphs are computing: the next turn may be long as well, so pending data should be sent
   * immediately.
   */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /**
   * Called before every superstep.
   * @returns a promise to await before the superstep begins, if the event loop needs a turn, or the server
   * has much to read.
   */
  pass(): Promise<void> | undefined {
    const { connection } = this.#link;
    if (connection.congested && connection.unreadChars > MAX_UNREAD_CHARS) return this.#link.caughtUp();
    const now = performance.now();
    this.#isBusy = this.#begun !== undefined && now - this.#begun > LONG_TURN_MS;
    if (this.#isBusy) {
      return new Promise((resolve) => {
        setImmediate(() => {
          this.#begin();
          resolve();
        });
      });
    }
    if (this.#begun === undefined) this.#begin();
    return undefined;
  }

  #begin(): void {
    this.#begun = performance.now();
    setImmediate(() => {
      this.#begun = undefined;
    });
  }
}
