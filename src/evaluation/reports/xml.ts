/** An XML element that contains text or elements. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly content: string | readonly Element[];
}

export function element(
  name: string,
  attributes: Element['attributes'] = {},
  content: Element['content'] = [],
): Element {
  return { name, attributes, content };
}

/** An XML document with indented elements. White space in text stays unchanged. */
export function xmlOf(root: Element): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}`;
}

function elementText({ name, attributes, content }: Element, indent: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  const opening = `${indent}<${name}${given.join('')}`;
  if (content.length === 0) return `${opening}/>\n`;
  if (typeof content === 'string') return `${opening}>${escapeXml(content)}</${name}>\n`;
  const inner = content.map((child) => elementText(child, `${indent}  `));
  return `${opening}>\n${inner.join('')}${indent}</${name}>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes text for XML. Characters that XML cannot contain, such as most control characters, are replaced. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}
