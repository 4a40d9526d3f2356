import { type Links, Marked, type Token, type TokensList } from 'marked';
import { BoundedLexer } from './bounded-lexer.ts';
import { closedPieces, continues, type OpenBlock, piecesOf } from './pieces.ts';
import { withoutHalfFence, withoutHalfLink } from './unfinished.ts';

/** The address of a picture whose data is in the address itself. */
const EMBEDDED_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml);base64,[\w+/=-]+$/i;

/** A line with 100 levels of quotes and lists; parsing it would nest too many calls. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){100}/m;

/** How many blocks at the end more text can change: a line that begins as text may become another item of a list. */
const OPEN_BLOCKS = 2;

// HTML is shown as text, so that no part of an answer is lost. A checkbox that cannot be ticked is a symbol. Nothing is
// loaded: a picture outside the text is shown as a link with its name.
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => (/^<br\s*\/?>$/i.test(text.trim()) ? '<br>' : escapeHtml(text)),
    code: ({ text, lang = '' }) => {
      const [language = ''] = lang.trim().split(/\s/);
      return `<pre data-language="${escapeHtml(language)}"><code>${escapeHtml(text.replace(/\n$/, ''))}</code></pre>`;
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    image: ({ href, text }) =>
      EMBEDDED_IMAGE.test(href)
        ? `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`
        : `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
  },
});

/** The text as HTML in consecutive blocks, not sanitized yet. */
export interface Blocks {
  /** The pieces of each block: a long list, table or block of code is divided into several of its kind. */
  readonly html: readonly (readonly string[])[];
  /** The beginning of the text that more text cannot change. */
  readonly closed: Closed;
  /** The link definitions of the text when its blocks were created. */
  readonly links: Links;
  /** Whether the text cannot be parsed as Markdown, and is shown unchanged. */
  readonly isPlain: boolean;
}

interface Closed {
  readonly text: string;
  /** The number of complete blocks in the text. */
  readonly count: number;
  /** The block after these, if the text contains a part of it. */
  readonly open?: OpenBlock | undefined;
  readonly links: Links;
}

/**
 * Reads Markdown block by block.
 * @param isGrowing whether more of the text will follow, so that incomplete parts at its end are left out.
 * @param before the blocks of an earlier, shorter text, whose closed part is not parsed again.
 */
export function readBlocks(text: string, isGrowing: boolean, before?: Blocks): Blocks {
  const whole = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const isGrown = before !== undefined && whole.startsWith(before.closed.text);
  if (isGrown && before.isPlain) return plainBlocks(whole);
  try {
    const read = (from: Blocks) => readOn(whole, isGrowing, from);
    return (isGrown && read(before)) || read(noBlocks) || plainBlocks(whole);
  } catch {
    // The parser throws, for example when the stack overflows.
    return plainBlocks(whole);
  }
}

const noBlocks: Blocks = { html: [], closed: { text: '', count: 0, links: {} }, links: {}, isPlain: false };

/**
 * Reads the text after the closed part of earlier blocks.
 * @returns `undefined` when the closed part has to be read again, or the text cannot be parsed as Markdown.
 */
function readOn(text: string, isGrowing: boolean, { html, closed, links }: Blocks): Blocks | undefined {
  const { open } = closed;
  const rest = (open?.prefix ?? '') + text.slice(closed.text.length);
  if (TOO_DEEP.test(rest)) return undefined;
  const tokens = new BoundedLexer(marked.defaults, closed.links).lex(rest);
  // A new definition of an address may change links in the closed part.
  if (closed.text !== '' && JSON.stringify(tokens.links) !== JSON.stringify(links)) return undefined;
  const shown = isGrowing ? withoutHalf(tokens) : tokens;
  if (open && !(continues(tokens[0], open) && continues(shown[0], open))) return undefined;
  const blocks = shown.map((token, index) =>
    piecesOf(token, index === 0 ? open : undefined).map((piece) => marked.parser([piece])),
  );
  const begun = html[closed.count]?.slice(0, open?.pieces ?? 0) ?? [];
  const [first, ...further] = blocks;
  return {
    html: [...html.slice(0, closed.count), ...(first ? [[...begun, ...first], ...further] : [])],
    closed: close(rest, tokens, closed),
    links: tokens.links,
    isPlain: false,
  };
}

/** Closes the blocks and pieces that more text cannot change. */
function close(rest: string, tokens: TokensList, before: Closed): Closed {
  const opens = tokens.map((token, index) => closedPieces(token, index === 0 ? before.open : undefined));
  // Blocks before a long one no longer change either.
  const at = Math.max(
    firstOpen(tokens),
    opens.findLastIndex((open) => open !== undefined),
  );
  const closing = tokens.slice(0, at);
  const open = opens[at];
  const text = closing.map(({ raw }) => raw).join('') + (open?.text ?? '');
  // If a token does not contain its text unchanged, nothing is closed.
  if (text === '' || !rest.startsWith(text)) return before;
  return {
    text: before.text + text.slice(before.open?.prefix.length),
    count: before.count + at,
    open: open && { ...open, pieces: open.pieces + (at === 0 ? (before.open?.pieces ?? 0) : 0) },
    links: { ...linksOf(closing), ...before.links },
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

/** The position of the first of the last `OPEN_BLOCKS` blocks; 0 if there are fewer. */
function firstOpen(tokens: TokensList): number {
  let open = 0;
  for (let at = tokens.length - 1; at >= 0; at--) {
    if (tokens[at]?.type !== 'space') open++;
    if (open === OPEN_BLOCKS) return at;
  }
  return 0;
}

/** The link definitions; for each name, the first one counts. */
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
    ...noBlocks,
    html: [[`<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`]],
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
