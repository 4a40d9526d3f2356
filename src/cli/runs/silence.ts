/**
 * The lengths of silence in seconds after which something is said. After the last one, each is double the
 * previous.
 */
const MOMENTS_S = [10, 30, 60];

/**
 * Measures how long nothing has arrived, and says so less and less often, so that users can tell a working run from one
 * that hangs.
 */
export class Silence {
  readonly #say: (seconds: number) => void;
  #timer: NodeJS.Timeout;
  #at = 0;

  constructor(say: (seconds: number) => void) {
    this.#say = say;
    this.#timer = this.#wait();
  }

  /** Call this when something has arrived, and more may follow. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#at = 0;
    this.#timer = this.#wait();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #wait(): NodeJS.Timeout {
    const now = momentOf(this.#at);
    return setTimeout(
      () => {
        this.#at++;
        this.#say(now);
        this.#timer = this.#wait();
      },
      (now - momentOf(this.#at - 1)) * 1000,
    );
  }
}

function momentOf(at: number): number {
  const last = MOMENTS_S.length - 1;
  return at < 0 ? 0 : (MOMENTS_S[at] ?? momentOf(last) * 2 ** (at - last));
}
