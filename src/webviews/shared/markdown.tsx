import './markdown.css';
import * as l10n from '@vscode/l10n';
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { render } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { BoundedLexer } from './bounded-lexer.ts';
import { CopyButton } from './copy-button.tsx';

/** A picture in the text itself. */
const EMBEDDED_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml);base64,[\w+/=-]+$/i;

/** A line that quotes and lists more levels than anybody would: finding each takes a call inside a call. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){100}/m;

const marked = new Marked({
  gfm: true,
  breaks: true,
  hooks: { provideLexer: () => (text, options) => new BoundedLexer(options).lex(text) },
  renderer: {
    // HTML is shown as text, so that nothing of an answer is lost.
    html: ({ text }) => (/^<br\s*\/?>$/i.test(text.trim()) ? '<br>' : escapeHtml(text)),
    // A box that nobody can tick is a sign.
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    // Nothing is loaded: a picture that is not in the text itself is a link with its name.
    image: ({ href, text }) =>
      EMBEDDED_IMAGE.test(href)
        ? `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`
        : `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
  },
});

interface MarkdownProps {
  readonly text: string;
  /** The level of its headings, one below those around it. */
  readonly headings: 2 | 4;
}

/** Text that a model wrote as Markdown; whatever could run, load or imitate the panel is taken out. */
export function Markdown({ text, headings }: MarkdownProps) {
  const html = useMemo(() => toSafeHtml(text, headings), [text, headings]);
  const box = useRef<HTMLDivElement>(null);
  // Buttons are added after sanitizing, so that the text cannot contain any.
  useLayoutEffect(() => {
    for (const block of box.current?.querySelectorAll('pre') ?? []) addCopyButton(block);
  }, [html]);
  return <div ref={box} class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}

function addCopyButton(block: HTMLPreElement): void {
  const text = block.textContent ?? '';
  const frame = document.createElement('div');
  frame.className = 'copyable code-block';
  block.replaceWith(frame);
  const place = document.createElement('span');
  place.className = 'copy-place';
  frame.append(place, block);
  render(<CopyButton kind="code" text={() => text} label={l10n.t('Copy Code')} />, place);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** HTML with text, lists, tables, code and links to the web, and nothing else. What cannot be read as Markdown is text. */
export function toSafeHtml(markdown: string, headings: 2 | 4): string {
  if (TOO_DEEP.test(markdown)) return toPlainHtml(markdown);
  try {
    return renderSafely(markdown, headings);
  } catch {
    // Such as a stack that is too small for its levels.
    return toPlainHtml(markdown);
  }
}

function toPlainHtml(text: string): string {
  return `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`;
}

function renderSafely(markdown: string, headings: 2 | 4): string {
  const html = marked
    .parse(markdown, { async: false })
    // A model's headings are not part of the panel's outline, so they all have one level.
    .replace(
      /<(\/?)h([1-6])>/g,
      (_, end, depth) => `<${end}h${headings}${end ? '' : ` data-depth="${depth}"`}>`,
    )
    // Wide content must be scrollable by keyboard.
    .replace(/<(pre|table)>/g, '<$1 tabindex="0">')
    .replace(/<li>(?=(?:<p>)?[☐☑] )/g, '<li data-task="">')
    // Bullets are placed where their text begins, whichever way it is written.
    .replace(/<(ul|ol|blockquote|table)(?=[ >])/g, '<$1 dir="auto"');
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [
      ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code', 'a', 'img'],
      ...['ul', 'ol', 'li', 'strong', 'em', 'del', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
    ],
    ALLOWED_ATTR: [
      'href',
      'src',
      'alt',
      'title',
      'align',
      'start',
      'dir',
      'tabindex',
      'data-depth',
      'data-task',
    ],
    // No addresses, so the rule for those does not apply.
    ADD_URI_SAFE_ATTR: ['alt', 'align', 'start', 'dir', 'tabindex', 'data-depth', 'data-task'],
    // Beside these, the pictures above: DOMPurify lets data through in an image, and nothing else has `src` here.
    ALLOWED_URI_REGEXP: /^(https?|mailto):/i,
  });
}
