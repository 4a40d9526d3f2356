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
 * not fall behind. What reaches a page at rest is shown before its next frame begins.
 */
export class FrameQueue<Item> {
  readonly #options: FrameQueueOptions<Item>;
  #items: Item[] = [];
  /** Whether something was added, until the frame that draws it, and the rest after it, are over. */
  #isBusy = false;

  constructor(options: FrameQueueOptions<Item>) {
    this.#options = options;
  }

  add(items: readonly Item[]): void {
    // Not spread into `push`: there may be very many.
    for (const item of items) this.#items.push(item);
    if (this.#isBusy) return;
    this.#isBusy = true;
    // A task of its own comes after all messages that wait already.
    setTimeout(() => this.#showNow());
  }

  /** Shows what there is, to be drawn by the next frame. */
  #showNow(): void {
    const began = performance.now();
    this.#showNext();
    // A page redraws in a microtask of its own, which was queued before this one.
    queueMicrotask(() => {
      const shownMs = performance.now() - began;
      onFrame(() => this.#restAfterFrame(shownMs));
    });
  }

  /** Called in a frame. @param shownMs what showing took before it */
  #restAfterFrame(shownMs = 0): void {
    const began = performance.now();
    // After the frame has been drawn.
    setTimeout(() => {
      const takenMs = shownMs + performance.now() - began;
      setTimeout(() => this.#goOn(), (REST - 1) * takenMs);
    });
  }

  #goOn(): void {
    if (this.#items.length === 0) {
      this.#isBusy = false;
      return;
    }
    onFrame(() => {
      this.#restAfterFrame();
      this.#showNext();
    });
  }

  #showNext(): void {
    this.#options.show(this.#take());
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

/** Calls back in the next frame, or when a page that is not drawn is updated. */
function onFrame(call: () => void): void {
  const once = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    call();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, UNSEEN_MS);
}
