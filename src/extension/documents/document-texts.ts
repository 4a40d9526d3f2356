/** A text that a person wrote and that was not sent yet. */
export interface Draft {
  readonly text: string;
  /** The version of the resource that it is based on. */
  readonly version: string;
}

/** Keeps drafts longer than a window. */
export interface DraftStore {
  read(key: string): Draft | undefined;
  /** @param draft undefined to forget it */
  write(key: string, draft: Draft | undefined): void;
}

/** A resource as the server has it. */
export interface Newest<Resource> {
  readonly resource: Resource;
  /** Changes whenever the resource does. */
  readonly version: string;
  /** The time of its last change, in milliseconds since 1970, if known. */
  readonly changed: number | undefined;
}

/** A document as VS Code sees it. */
export interface Shown {
  readonly text: string;
  /** Later whenever the text changes, in milliseconds since 1970. */
  readonly time: number;
  /** Differs whenever the text does: VS Code distinguishes texts by it. */
  readonly size: number;
}

interface Kept<Resource> extends Shown, Newest<Resource> {
  /** The text of the newest version, as the user typed it if it was saved here. */
  readonly newestText: string;
  /** A saved text as the server has changed it. */
  readonly becomes?: string | undefined;
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

  /** The server's newest version that was read; undefined when none was. */
  resource(key: string): Resource | undefined {
    return this.#kept.get(key)?.resource;
  }

  /** The text for the editor. @throws when the server was not asked before */
  shown(key: string): Shown {
    const { text, time, size } = this.#get(key);
    return { text, time, size };
  }

  /** The text of the server's version; empty when it was not asked. */
  newestText(key: string): string {
    return this.#kept.get(key)?.newestText ?? '';
  }

  /**
   * Notes the server's version.
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

  /** Keeps a text that is not to be sent yet. */
  keepDraft(key: string, text: string): void {
    const kept = this.#get(key);
    const isDraft = text !== kept.newestText;
    const draft = isDraft ? { text, version: kept.draft?.version ?? kept.version } : undefined;
    this.#store.write(key, draft);
    this.#keep(key, kept, { newestText: kept.newestText, draft });
  }

  /** Says whether there is a draft, and whether the resource has changed since it was begun. */
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
   * Prepares for a save by the user: if the resource has changed since the draft was begun, the newest text is shown,
   * so that VS Code sees a newer file, keeps the draft in its editor and asks what to do.
   */
  beginSave(key: string): void {
    if (this.draftState(key) === 'outdated') this.discardDraft(key);
  }

  /**
   * Notes a text that was sent.
   * @param becomes the text of what the server stored
   */
  noteSaved(key: string, newest: Newest<Resource>, text: string, becomes?: string): void {
    this.#store.write(key, undefined);
    this.#keep(key, newest, { newestText: text, becomes });
  }

  /** Shows the text of what the server stored instead of the text that was sent; false if they are equal. */
  showSaved(key: string): boolean {
    const kept = this.#kept.get(key);
    if (kept?.becomes === undefined || kept.becomes === kept.text) return false;
    this.#keep(key, kept, { newestText: kept.becomes });
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
    { newestText, becomes, draft }: Pick<Kept<Resource>, 'newestText' | 'becomes' | 'draft'>,
  ): void {
    const text = draft?.text ?? newestText;
    const before = this.#kept.get(key);
    const time = before?.text === text ? before.time : Math.max(changed ?? 0, (before?.time ?? 0) + 1);
    const size = sizeOf(text);
    this.#kept.set(key, { resource, version, changed, newestText, becomes, draft, text, time, size });
  }
}

/**
 * VS Code considers a newer file of the same size unchanged, and would overwrite it without asking. It compares
 * nothing but the size, so two texts should hardly ever have the same one.
 */
function sizeOf(text: string): number {
  let sum = 0;
  for (const unit of Buffer.from(text)) sum = (sum * 31 + unit) % 65_521;
  return Buffer.byteLength(text) + sum;
}
