import type { ColoredSpan } from '../../../extension/panels/webview-rpc.ts';

/** Ranges of a text, each with the highlight that colors it. */
export type Painted = readonly (readonly [Highlight, AbstractRange])[];

/**
 * Colors ranges of text with CSS highlights. Unlike elements, they leave the document unchanged, and with it the user's
 * selection and Preact's view of the elements.
 */
export class CodeHighlights {
  readonly #sheet = new CSSStyleSheet();
  readonly #byColor = new Map<string, Highlight>();

  constructor() {
    document.adoptedStyleSheets.push(this.#sheet);
  }

  /** @param spans in the order of the text. */
  paint(element: Element, spans: readonly ColoredSpan[]): Painted {
    const painted: [Highlight, AbstractRange][] = [];
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = nextText(texts);
    /** Where the text node begins in the text of the element. */
    let offset = 0;
    for (const { start, end, color } of spans) {
      const highlight = this.#highlightOf(color);
      let from = start;
      while (text !== undefined && from < end) {
        const until = Math.min(end, offset + text.length);
        if (from < until) {
          const range = new StaticRange({
            startContainer: text,
            startOffset: from - offset,
            endContainer: text,
            endOffset: until - offset,
          });
          highlight.add(range);
          painted.push([highlight, range]);
          from = until;
        }
        // A span may continue in the next node.
        if (from < end) {
          offset += text.length;
          text = nextText(texts);
        }
      }
    }
    return painted;
  }

  erase(painted: Painted): void {
    for (const [highlight, range] of painted) highlight.delete(range);
  }

  #highlightOf(color: string): Highlight {
    const existing = this.#byColor.get(color);
    if (existing !== undefined) return existing;
    const highlight = new Highlight();
    const name = `code-color-${this.#byColor.size}`;
    this.#byColor.set(color, highlight);
    CSS.highlights.set(name, highlight);
    this.#sheet.insertRule(`::highlight(${name}) { color: ${color}; }`);
    return highlight;
  }
}

function nextText(texts: TreeWalker): Text | undefined {
  const node = texts.nextNode();
  return node instanceof Text ? node : undefined;
}
