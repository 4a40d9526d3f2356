import { type Links, Marked, type Token, type TokensList } from 'marked';
import { BoundedLexer } from './bounded-lexer.ts';
import { withoutHalfFence, withoutHalfLink } from './unfinished.ts';

/** A picture in the text itself. */
const EMBEDDED_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml);base64,[\w+/=-]+$/i;

/** A line with more levels of quotes and lists than a person would write: finding each takes a call inside a call. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){100}/m;

/** The last blocks that more text may still change: a line that begins as text may become another item of a list. */
const OPEN_BLOCKS = 2;

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // HTML is shown as text, so that nothing of an answer is lost.
    html: ({ text }) => (/^<br\s*\/?>$/i.test(text.trim()) ? '<br>' : escapeHtml(text)),
    code: ({ text, lang = '' }) => {
      const [language = ''] = lang.trim().split(/\s/);
      return `<pre data-language="${escapeHtml(language)}"><code>${escapeHtml(text.replace(/\n$/, ''))}</code></pre>`;
    },
    // A box that cannot be ticked is shown as a sign.
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    // Nothing is loaded: a picture that is not in the text itself is a link with its name.
    image: ({ href, text }) =>
      EMBEDDED_IMAGE.test(href)
        ? `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`
        : `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
  },
});

/** A text as HTML that is not safe yet, in the blocks that follow one another in it. */
export interface Blocks {
  readonly html: readonly string[];
  /** The beginning of the text that no more text changes, and the number of its blocks. */
  readonly closed: { readonly text: string; readonly count: number; readonly links: Links };
  /** The addresses that the text defines for its links, as they were when its blocks were made. */
  readonly links: Links;
  /** Whether it cannot be read as Markdown, and is shown unchanged. */
  readonly isPlain: boolean;
}

/**
 * Reads Markdown block by block.
 * @param isGrowing whether more of the text is coming, so that what has only begun at its end is left out.
 * @param before the blocks of what the text was before it grew: those that stay as they are are not read again.
 */
export function readBlocks(text: string, isGrowing: boolean, before?: Blocks): Blocks {
  const whole = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const isGrown = before !== undefined && whole.startsWith(before.closed.text);
  if (isGrown && before.isPlain) return plainBlocks(whole);
  try {
    const read = (from: Blocks) => readOn(whole, isGrowing, from);
    return (isGrown && read(before)) || read(nothing) || plainBlocks(whole);
  } catch {
    // Such as a stack that is too small for its levels.
    return plainBlocks(whole);
  }
}

const nothing: Blocks = { html: [], closed: { text: '', count: 0, links: {} }, links: {}, isPlain: false };

/** @returns `undefined` when what was read before has to be read again, or the text cannot be read as Markdown. */
function readOn(text: string, isGrowing: boolean, { html, closed, links }: Blocks): Blocks | undefined {
  const rest = text.slice(closed.text.length);
  if (TOO_DEEP.test(rest)) return undefined;
  const tokens = new BoundedLexer(marked.defaults, closed.links).lex(rest);
  // A link may stand before the address that is defined for it.
  if (closed.count > 0 && JSON.stringify(tokens.links) !== JSON.stringify(links)) return undefined;
  const kept = html.slice(0, closed.count);
  const closing = tokens.slice(0, firstOpen(tokens));
  const closingText = closing.map(({ raw }) => raw).join('');
  // If a token does not contain its text unchanged, nothing is closed.
  const isPlaced = rest.startsWith(closingText);
  return {
    html: [...kept, ...(isGrowing ? withoutHalf(tokens) : tokens).map((token) => marked.parser([token]))],
    closed: isPlaced
      ? {
          text: closed.text + closingText,
          count: closed.count + closing.length,
          links: { ...linksOf(closing), ...closed.links },
        }
      : closed,
    links: tokens.links,
    isPlain: false,
  };
}

/** The blocks to show while the last one grows. */
function withoutHalf(tokens: TokensList): readonly Token[] {
  const last = tokens.at(-1);
  if (last === undefined) return tokens;
  const { raw } = last;
  const shown = last.type === 'code' ? withoutHalfFence(raw) : withoutHalfLink(raw);
  if (shown === raw) return tokens;
  return [...tokens.slice(0, -1), ...new BoundedLexer(marked.defaults, tokens.links).lex(shown)];
}

function firstOpen(tokens: TokensList): number {
  let open = 0;
  for (let at = tokens.length - 1; at >= 0; at--) {
    if (tokens[at]?.type !== 'space') open++;
    if (open === OPEN_BLOCKS) return at;
  }
  return 0;
}

/** The addresses that are defined; the first of a name counts. */
function linksOf(tokens: readonly Token[]): Links {
  const links: Links = {};
  for (const token of tokens) {
    if (token.type !== 'def') continue;
    const { tag, href, title } = token;
    links[tag] ??= { href, title };
  }
  return links;
}

function plainBlocks(text: string): Blocks {
  return {
    ...nothing,
    html: [`<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`],
    isPlain: true,
  };
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
