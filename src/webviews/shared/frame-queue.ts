/** How often a page that is not drawn, for example in a minimized window, is updated. */
const UNSEEN_MS = 1_000;
/** On a slow page, the time from one drawing to the next, as a multiple of the time that drawing takes. */
const INTERVAL_FACTOR = 3;

interface FrameQueueOptions<Item> {
  /** Shows all of these items at once. */
  readonly show: (items: readonly Item[]) => void;
  readonly sizeOf: (item: Item) => number;
  /** The maximum sum of `sizeOf` of the items that are shown at once; a larger item is shown alone. */
  readonly maxSize: number;
}

/**
 * Collects items that arrive faster than a page is drawn, and shows them once per frame, so that a slow page does
 * not fall behind. Items that arrive while nothing is being drawn are shown before the next frame begins.
 */
export class FrameQueue<Item> {
  readonly #options: FrameQueueOptions<Item>;
  #items: Item[] = [];
  /** True from the arrival of an item until it has been drawn and the pause after the drawing is over. */
  #isBusy = false;

  constructor(options: FrameQueueOptions<Item>) {
    this.#options = options;
  }

  add(items: readonly Item[]): void {
    // The items are not spread into `push`, because there may be very many.
    for (const item of items) this.#items.push(item);
    if (this.#isBusy) return;
    this.#isBusy = true;
    // A timeout runs after the messages that have already arrived.
    setTimeout(() => this.#showNow());
  }

  /** Shows the waiting items, which the next frame draws. */
  #showNow(): void {
    const began = performance.now();
    this.#showNext();
    // The page redraws in a microtask that was queued before this one.
    queueMicrotask(() => {
      const shownMs = performance.now() - began;
      onFrame(() => this.#restAfterFrame(shownMs));
    });
  }

  /** Called in a frame. @param shownMs the time that showing the items took before the frame */
  #restAfterFrame(shownMs = 0): void {
    const began = performance.now();
    // Runs after the frame has been drawn.
    setTimeout(() => {
      const takenMs = shownMs + performance.now() - began;
      setTimeout(() => this.#showMore(), (INTERVAL_FACTOR - 1) * takenMs);
    });
  }

  #showMore(): void {
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

/** Calls back in the next frame; after `UNSEEN_MS` on a page that is not drawn and so gets no frames. */
function onFrame(call: () => void): void {
  const once = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    call();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, UNSEEN_MS);
}
