import { createContext } from 'preact';
import type { CodeToColor, ColoredSpan } from '../../../extension/panels/webview-rpc.ts';
import { CodeHighlights, type Painted } from './code-highlights.ts';

/** The panel's coloring of code; `undefined` where the browser does not support it. */
export const CodeColors = createContext<CodeColoring | undefined>(undefined);

/**
 * A growing block is colored again with each change. Once it has more lines than this, it waits until it is
 * complete.
 */
const MAX_OPEN_LINES = 200;
/** How many blocks' colors are kept, for when the blocks are scrolled into view again. */
const MAX_KNOWN = 100;

interface CodeBlock {
  readonly language: string;
  readonly isOpen: boolean;
  readonly text: string;
  /** The text whose colors were last requested. */
  colored: string | undefined;
  painted: Painted;
}

/**
 * Colors blocks of code as VS Code does. It sends one request at a time. Until the answer arrives, a block keeps the
 * colors of its previous text.
 */
export class CodeColoring {
  readonly #ask: (code: CodeToColor) => Promise<readonly ColoredSpan[]>;
  readonly #highlights = new CodeHighlights();
  readonly #blocks = new Map<Element, CodeBlock>();
  /** The colors of complete blocks, the oldest first. */
  readonly #known = new Map<string, readonly ColoredSpan[]>();
  #isAsking = false;
  #theme = themeOfPage();

  constructor(ask: (code: CodeToColor) => Promise<readonly ColoredSpan[]>) {
    this.#ask = ask;
    // VS Code also sets this attribute when the user changes colors of the theme.
    new MutationObserver(() => this.#colorAgain()).observe(document.body, {
      attributeFilter: ['data-vscode-theme-id'],
    });
  }

  /**
   * Colors a block that is new or may have changed.
   * @param box the element around the block's `code` element.
   * @param isOpen whether more of the block may follow.
   */
  update(box: Element, language: string, isOpen: boolean): void {
    if (language === '') {
      this.remove(box);
      return;
    }
    const text = textOf(box);
    const before = this.#blocks.get(box);
    const isSame = before?.language === language;
    const block: CodeBlock = {
      language,
      isOpen,
      text,
      colored: isSame ? before.colored : undefined,
      painted: before?.painted ?? [],
    };
    this.#blocks.set(box, block);
    const known = isStale(block) ? this.#known.get(keyOf(block)) : undefined;
    if (known === undefined) {
      void this.#colorNext();
      return;
    }
    block.colored = text;
    this.#paint(box, block, known);
  }

  /** Forgets a block that is no longer in the document. */
  remove(box: Element): void {
    const block = this.#blocks.get(box);
    if (block === undefined) return;
    this.#erase(block);
    this.#blocks.delete(box);
  }

  async #colorNext(): Promise<void> {
    if (this.#isAsking) return;
    const next = [...this.#blocks].find(([, block]) => isStale(block));
    if (next === undefined) return;
    const [box, block] = next;
    const { text, language, isOpen } = block;
    block.colored = text;
    this.#isAsking = true;
    // Code that cannot be colored is plain; the host has logged why.
    const spans = await this.#ask({ text, language, theme: this.#theme }).catch(() => undefined);
    this.#isAsking = false;
    const now = this.#blocks.get(box);
    // The answer is too late if the theme or the block has changed in the meantime.
    if (spans !== undefined && now?.colored === text) {
      if (!isOpen) this.#remember(keyOf(block), spans);
      if (now.text.startsWith(text)) this.#paint(box, now, spans);
    }
    // The block goes to the end, so that a growing block does not keep the others waiting.
    if (now !== undefined && this.#blocks.delete(box)) this.#blocks.set(box, now);
    void this.#colorNext();
  }

  #paint(box: Element, block: CodeBlock, spans: readonly ColoredSpan[]): void {
    const code = box.querySelector('code');
    if (code === null) return;
    this.#erase(block);
    block.painted = this.#highlights.paint(code, spans);
  }

  #erase(block: CodeBlock): void {
    this.#highlights.erase(block.painted);
    block.painted = [];
  }

  #remember(key: string, spans: readonly ColoredSpan[]): void {
    this.#known.set(key, spans);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  #colorAgain(): void {
    this.#known.clear();
    const theme = themeOfPage();
    for (const block of this.#blocks.values()) {
      block.colored = undefined;
      // The colors of a dark theme cannot be read in a light one.
      if (theme !== this.#theme) this.#erase(block);
    }
    this.#theme = theme;
    void this.#colorNext();
  }
}

function themeOfPage(): string {
  return document.body.dataset.vscodeThemeId ?? '';
}

function textOf(box: Element): string {
  return box.querySelector('code')?.textContent ?? '';
}

function keyOf({ language, text }: CodeBlock): string {
  return `${language}\n${text}`;
}

function isStale({ text, colored, isOpen }: CodeBlock): boolean {
  return text !== colored && !(isOpen && text.split('\n', MAX_OPEN_LINES + 1).length > MAX_OPEN_LINES);
}
