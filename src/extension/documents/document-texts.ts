/** A text that the user wrote and that was not sent yet. */
export interface Draft {
  readonly text: string;
  /** The version of the resource that it is based on. */
  readonly version: string;
}

/** Keeps drafts after the window is closed. */
export interface DraftStore {
  read(key: string): Draft | undefined;
  /** @param draft undefined to forget it */
  write(key: string, draft: Draft | undefined): void;
}

/** The newest version of a resource on its server. */
export interface Newest<Resource> {
  readonly resource: Resource;
  /** Changes whenever the resource does. */
  readonly version: string;
  /** The time of its last change, in milliseconds since 1970, if known. */
  readonly changed: number | undefined;
}

/** The text and the attributes of a document, as VS Code asks for them. */
interface ShownText {
  readonly text: string;
  /** The time of the text, in milliseconds since 1970; later whenever the text has changed. */
  readonly time: number;
  /**
   * A number by which VS Code distinguishes texts, so it is hardly ever the same for two texts. It is not
   * their length.
   */
  readonly size: number;
}

interface Kept<Resource> extends ShownText, Newest<Resource> {
  /** The text of the newest version, as the user typed it if it was saved here. */
  readonly newestText: string;
  /** The text of what the server stored after a save, if it may differ from the text that was sent. */
  readonly storedText?: string | undefined;
  readonly draft?: Draft | undefined;
}

/**
 * The texts of documents that are kept on a server. An editor keeps showing its draft until it is saved or
 * discarded, even if the server's version changes.
 */
export class DocumentTexts<Resource> {
  readonly #store: DraftStore;
  readonly #kept = new Map<string, Kept<Resource>>();

  constructor(store: DraftStore) {
    this.#store = store;
  }

  /** The newest version that was read from the server; undefined when none was read. */
  resource(key: string): Resource | undefined {
    return this.#kept.get(key)?.resource;
  }

  /** The text for the editor. @throws Error if no version of the resource was noted before */
  shown(key: string): ShownText {
    const { text, time, size } = this.#get(key);
    return { text, time, size };
  }

  /** The text of the server's version; empty if none was noted. */
  newestText(key: string): string {
    return this.#kept.get(key)?.newestText ?? '';
  }

  /**
   * Notes the server's version, which is shown unless there is a draft.
   * @param text returns its text; called only for a new version
   */
  async note(key: string, newest: Newest<Resource>, text: () => string | Promise<string>): Promise<void> {
    if (this.#kept.get(key)?.version === newest.version) return;
    const newestText = await text();
    const stored = this.#kept.get(key)?.draft ?? this.#store.read(key);
    const draft = stored?.text === newestText ? undefined : stored;
    if (stored !== draft) this.#store.write(key, undefined);
    this.#keep(key, newest, { newestText, draft });
  }

  /** Keeps a text that is not sent yet as a draft. */
  keepDraft(key: string, text: string): void {
    const kept = this.#get(key);
    const isDraft = text !== kept.newestText;
    const draft = isDraft ? { text, version: kept.draft?.version ?? kept.version } : undefined;
    this.#store.write(key, draft);
    this.#keep(key, kept, { newestText: kept.newestText, draft });
  }

  /** Whether there is a draft, and whether the resource has changed since it was begun. */
  draftState(key: string): 'none' | 'current' | 'outdated' {
    const kept = this.#kept.get(key);
    if (kept?.draft === undefined) return 'none';
    return kept.draft.version === kept.version ? 'current' : 'outdated';
  }

  /** Shows the newest text instead of a draft. */
  discardDraft(key: string): void {
    const kept = this.#kept.get(key);
    if (kept?.draft === undefined) return;
    this.#store.write(key, undefined);
    this.#keep(key, kept, { newestText: kept.newestText });
  }

  /**
   * Prepares for a save by the user: if the resource has changed since the draft was begun, the newest text
   * is shown, so that VS Code sees a newer file, keeps the draft in its editor and asks what to do.
   */
  beginSave(key: string): void {
    if (this.draftState(key) === 'outdated') this.discardDraft(key);
  }

  /**
   * Notes a text that was sent.
   * @param storedText the text of what the server stored, if it may differ
   */
  noteSaved(key: string, newest: Newest<Resource>, text: string, storedText?: string): void {
    this.#store.write(key, undefined);
    this.#keep(key, newest, { newestText: text, storedText });
  }

  /**
   * Shows the text of what the server stored instead of the text that was sent.
   * @returns false if there is no other text to show
   */
  showSaved(key: string): boolean {
    const kept = this.#kept.get(key);
    if (kept?.storedText === undefined || kept.storedText === kept.text) return false;
    this.#keep(key, kept, { newestText: kept.storedText });
    return true;
  }

  #get(key: string): Kept<Resource> {
    const kept = this.#kept.get(key);
    if (kept === undefined) throw new Error(`Nothing was read for ${key}.`);
    return kept;
  }

  #keep(
    key: string,
    { resource, version, changed }: Newest<Resource>,
    { newestText, storedText, draft }: Pick<Kept<Resource>, 'newestText' | 'storedText' | 'draft'>,
  ): void {
    const text = draft?.text ?? newestText;
    const before = this.#kept.get(key);
    const time = before?.text === text ? before.time : Math.max(changed ?? 0, (before?.time ?? 0) + 1);
    const size = distinctSizeOf(text);
    this.#kept.set(key, { resource, version, changed, newestText, storedText, draft, text, time, size });
  }
}

/**
 * A size that nearly always differs, even for texts of the same length. VS Code considers a newer file of
 * the same size unchanged, and would overwrite it without asking.
 */
function distinctSizeOf(text: string): number {
  let sum = 0;
  for (const unit of Buffer.from(text)) sum = (sum * 31 + unit) % 65_521;
  return Buffer.byteLength(text) + sum;
}
