import DOMPurify from 'dompurify';

const BLOCK_TAGS = ['p', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'ul', 'ol', 'li'];
const INLINE_TAGS = ['br', 'code', 'a', 'img', 'strong', 'em', 'del'];
const TABLE_TAGS = ['table', 'thead', 'tbody', 'tr', 'th', 'td'];
/** Attributes whose values are not URLs, and therefore need not match `ALLOWED_URI_REGEXP`. */
const ATTRIBUTES_WITHOUT_URL = [
  'alt',
  'title',
  'align',
  'start',
  'dir',
  'tabindex',
  'data-depth',
  'data-task',
  'data-language',
];

/** The level of headings in HTML: one below the headings around the text. */
export type HeadingLevel = 2 | 4;

/**
 * The elements of sanitized HTML: text with lists, tables, code, links to the web and embedded pictures. Everything else
 * is removed.
 * @param headings the level that all headings get
 */
export function toSafeFragment(html: string, headings: HeadingLevel): DocumentFragment {
  const marked = html
    // A model's headings are not part of the panel's outline, so they all have one level.
    .replace(
      /<(\/?)h([1-6])>/g,
      (_, end, depth) => `<${end}h${headings}${end ? '' : ` data-depth="${depth}"`}>`,
    )
    // Wide content must be scrollable by keyboard.
    .replace(/<(pre|table)(?=[ >])/g, '<$1 tabindex="0"')
    .replace(/<li>(?=(?:<p>)?[☐☑] )/g, '<li data-task="">')
    // Bullets are on the side where their text begins, even in right-to-left text.
    .replace(/<(ul|ol|blockquote|table)(?=[ >])/g, '<$1 dir="auto"');
  // DOMPurify also allows `data:` in the `src` of an image, the only element here that has one.
  return DOMPurify.sanitize(marked, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: [...BLOCK_TAGS, ...INLINE_TAGS, ...TABLE_TAGS],
    ALLOWED_ATTR: ['href', 'src', ...ATTRIBUTES_WITHOUT_URL],
    ADD_URI_SAFE_ATTR: ATTRIBUTES_WITHOUT_URL,
    ALLOWED_URI_REGEXP: /^(https?|mailto):/i,
  });
}
