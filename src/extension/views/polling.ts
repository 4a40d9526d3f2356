import type { Disposable } from 'vscode';
import type { Tree } from './tree.ts';

const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 60_000;
const DELAY_GROWTH = 1.5;

/** Reads a tree repeatedly while it is visible, less often the longer nothing changes. */
export class Polling implements Disposable {
  readonly #tree: Tree;
  readonly #isNeeded: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_DELAY_MS;
  /** The fingerprint of the tree at the last poll. */
  #seen = '';

  /** @param isNeeded whether the tree shows anything whose changes may not be announced */
  constructor(tree: Tree, isNeeded: () => boolean) {
    this.#tree = tree;
    this.#isNeeded = isNeeded;
  }

  /** Polls soon, because something has changed or a view has become visible. */
  speedUp(): void {
    this.#pauseMs = FIRST_DELAY_MS;
    this.#schedule();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#tree.isVisible && this.#isNeeded()) this.#timer = setTimeout(() => this.#poll(), this.#pauseMs);
  }

  #poll(): void {
    // If the tree is no longer visible, or polling no longer needed, polling ends until `speedUp` restarts
    // it.
    if (!this.#tree.isVisible || !this.#isNeeded()) return;
    const now = this.#tree.fingerprint();
    this.#pauseMs =
      now === this.#seen ? Math.min(MAX_DELAY_MS, this.#pauseMs * DELAY_GROWTH) : FIRST_DELAY_MS;
    this.#seen = now;
    this.#tree.refresh();
    this.#schedule();
  }
}
