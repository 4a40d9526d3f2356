import DOMPurify from 'dompurify';

/** The elements of a text with lists, tables, code and links to the web, and nothing else. */
export function toSafeFragment(html: string, headings: 2 | 4): DocumentFragment {
  const marked = html
    // A model's headings are not part of the panel's outline, so they all have one level.
    .replace(
      /<(\/?)h([1-6])>/g,
      (_, end, depth) => `<${end}h${headings}${end ? '' : ` data-depth="${depth}"`}>`,
    )
    // Wide content must be scrollable by keyboard.
    .replace(/<(pre|table)(?=[ >])/g, '<$1 tabindex="0"')
    .replace(/<li>(?=(?:<p>)?[☐☑] )/g, '<li data-task="">')
    // Bullets are placed where their text begins, in either direction of writing.
    .replace(/<(ul|ol|blockquote|table)(?=[ >])/g, '<$1 dir="auto"');
  return DOMPurify.sanitize(marked, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: [
      ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code', 'a', 'img'],
      ...['ul', 'ol', 'li', 'strong', 'em', 'del', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
    ],
    ALLOWED_ATTR: ['href', 'src', ...NO_ADDRESSES],
    // The rule for addresses does not apply to them.
    ADD_URI_SAFE_ATTR: NO_ADDRESSES,
    // Besides these, the pictures above: DOMPurify lets data through in an image, and nothing else has `src` here.
    ALLOWED_URI_REGEXP: /^(https?|mailto):/i,
  });
}

const NO_ADDRESSES = [
  ...['alt', 'title', 'align', 'start', 'dir', 'tabindex'],
  ...['data-depth', 'data-task', 'data-language'],
];
