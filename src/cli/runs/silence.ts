/** When it is said that nothing has come; from the last one on, each time after twice as long. */
const MOMENTS_S = [10, 30, 60];

/** Tells a run that works from one that hangs: says how long nothing has been heard, more seldom as that lasts. */
export class Silence {
  readonly #say: (seconds: number) => void;
  #timer: NodeJS.Timeout;
  #at = 0;

  constructor(say: (seconds: number) => void) {
    this.#say = say;
    this.#timer = this.#wait();
  }

  /** Something has come, and more may. */
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
