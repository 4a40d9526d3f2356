import { z } from 'zod';
import type { Draft, DraftStore } from './kept-texts.ts';

const KEY = 'drafts';
/** With more drafts than this, the oldest are forgotten once the window is closed. */
const MAX_DRAFTS = 50;

const Stored = z.array(z.object({ key: z.string(), text: z.string(), version: z.string() })).catch([]);

/** The part of VS Code's memory of a window that is needed. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Drafts of documents, which outlast the window. */
export class WindowDrafts implements DraftStore {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  read(key: string): Draft | undefined {
    return this.#all().find((draft) => draft.key === key);
  }

  write(key: string, draft: Draft | undefined): void {
    const all = this.#all();
    const others = all.filter((one) => one.key !== key);
    if (draft === undefined && others.length === all.length) return;
    const drafts = draft === undefined ? others : [{ ...draft, key }, ...others].slice(0, MAX_DRAFTS);
    void this.#memory.update(KEY, drafts.length === 0 ? undefined : drafts);
  }

  #all(): z.output<typeof Stored> {
    return Stored.parse(this.#memory.get(KEY));
  }
}
