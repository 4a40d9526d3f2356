import type { Draft, DraftStore } from './document-texts.ts';

const KEY = 'drafts';
/** With more drafts than this, the oldest are lost when the window is closed. */
const MAX_DRAFTS = 50;

interface StoredDraft extends Draft {
  readonly key: string;
}

/** The part of a `vscode.Memento` that is needed. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Stores drafts of documents with the window's other state. */
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

  #all(): StoredDraft[] {
    const stored = this.#memory.get(KEY);
    return Array.isArray(stored) ? stored.filter(isStoredDraft) : [];
  }
}

/**
 * Checked without zod, because this module is loaded when the extension is activated, and loading zod would
 * take too long.
 */
function isStoredDraft(value: unknown): value is StoredDraft {
  if (typeof value !== 'object' || value === null) return false;
  return (['key', 'text', 'version'] as const).every((name) => typeof Reflect.get(value, name) === 'string');
}
