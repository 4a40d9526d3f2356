/** How often a page that is not drawn, for example in a minimized window, is updated. */
const UNSEEN_MS = 1_000;
/** The time from one drawing to the next on a slow page, as a multiple of the time that drawing takes. */
const REST = 3;

interface FrameQueueOptions<Item> {
  /** Shows items, many at once. */
  readonly show: (items: readonly Item[]) => void;
  readonly sizeOf: (item: Item) => number;
  /** The most that is shown at once. */
  readonly maxSize: number;
}

/**
 * Collects items that arrive faster than a page is drawn, and shows them once per frame, so that a slow page does
 * not fall behind.
 */
export class FrameQueue<Item> {
  readonly #options: FrameQueueOptions<Item>;
  #items: Item[] = [];
  #isAsked = false;
  /** When the page may be drawn again, as `performance.now()`. */
  #notBefore = 0;

  constructor(options: FrameQueueOptions<Item>) {
    this.#options = options;
  }

  add(items: readonly Item[]): void {
    // Not spread into `push`: there may be very many.
    for (const item of items) this.#items.push(item);
    this.#ask();
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const rest = this.#notBefore - performance.now();
    if (rest > 0) setTimeout(() => this.#await(), rest);
    else this.#await();
  }

  #await(): void {
    const next = (): void => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      this.#showNext();
    };
    const frame = requestAnimationFrame(next);
    const timer = setTimeout(next, UNSEEN_MS);
  }

  #showNext(): void {
    this.#isAsked = false;
    const began = performance.now();
    this.#options.show(this.#take());
    // After the frame has been drawn.
    setTimeout(() => {
      this.#notBefore = began + REST * (performance.now() - began);
      if (this.#items.length > 0) this.#ask();
    });
  }

  #take(): readonly Item[] {
    const { sizeOf, maxSize } = this.#options;
    let size = 0;
    const after = this.#items.findIndex((item, index) => {
      size += sizeOf(item);
      return index > 0 && size > maxSize;
    });
    const taken = after < 0 ? this.#items : this.#items.slice(0, after);
    this.#items = after < 0 ? [] : this.#items.slice(after);
    return taken;
  }
}
