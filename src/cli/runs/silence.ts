/** The silences after which a note is shown; after the last one, at intervals that double. */
const MOMENTS_S = [10, 30, 60];

/**
 * Helps users tell a working run from one that hangs: says how long nothing has arrived, less often the longer it
 * lasts.
 */
export class Silence {
  readonly #say: (seconds: number) => void;
  #timer: NodeJS.Timeout;
  #at = 0;

  constructor(say: (seconds: number) => void) {
    this.#say = say;
    this.#timer = this.#wait();
  }

  /** Something has arrived, and more may follow. */
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
