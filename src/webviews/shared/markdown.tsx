import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useMemo } from 'preact/hooks';

const marked = new Marked({ gfm: true, breaks: true });

/** Text that a model wrote as Markdown; whatever could run, load or imitate the panel is taken out. */
export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(() => toSafeHtml(text), [text]);
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** HTML with text, lists, tables, code and links to the web, and nothing else. */
export function toSafeHtml(markdown: string): string {
  return DOMPurify.sanitize(marked.parse(markdown, { async: false }), {
    ALLOWED_TAGS: [
      ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code', 'a'],
      ...['ul', 'ol', 'li', 'strong', 'em', 'del', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
    ],
    ALLOWED_ATTR: ['href', 'title', 'align', 'start'],
    ALLOWED_URI_REGEXP: /^(https?|mailto):/i,
  });
}
