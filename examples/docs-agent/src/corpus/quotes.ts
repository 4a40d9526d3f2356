import { marked, type Token, type Tokens } from 'marked';

/** Numbered steps belong together, unless there are so many that only some can be quoted. */
const MAX_LIST_CHARS = 400;

/** A stretch of Markdown that can be quoted on its own. */
export interface Quote {
  text: string;
  kind: 'sentence' | 'item' | 'block';
  /** Which block of the passage it is in. */
  block: number;
}

/** A passage cut into quotes. What a colon announces (a list, code, a table) stays with its sentence. */
export function quotesOf(markdown: string): Quote[] {
  const quotes: Quote[] = [];
  for (const [position, block] of marked.lexer(markdown).entries()) {
    if (block.type === 'space') continue;
    const previous = quotes.at(-1);
    if (previous?.text.endsWith(':') && block.type !== 'paragraph') {
      previous.text += `\n\n${block.raw.trimEnd()}`;
      previous.kind = 'block';
    } else {
      quotes.push(...quotesOfBlock(block).map((quote) => ({ ...quote, block: position })));
    }
  }
  return quotes;
}

function quotesOfBlock(block: Token): Pick<Quote, 'text' | 'kind'>[] {
  if (block.type === 'paragraph') return sentencesOf(block.raw).map((text) => ({ text, kind: 'sentence' }));
  if (isTable(block)) return block.rows.map((row) => ({ text: rowAsItem(row), kind: 'item' }));
  if (isList(block) && (!block.ordered || block.raw.length > MAX_LIST_CHARS)) {
    return block.items.map((item) => ({ text: item.raw.trimEnd(), kind: 'item' }));
  }
  return [{ text: block.raw.trimEnd(), kind: 'block' }];
}

const isList = (block: Token): block is Tokens.List => block.type === 'list';
const isTable = (block: Token): block is Tokens.Table => block.type === 'table';

/** A table's row as a list item: the first cell names what the others say. */
function rowAsItem(row: Tokens.TableCell[]): string {
  const [name, ...rest] = row.map((cell) => cell.text);
  return `- ${name}: ${rest.filter(Boolean).join('; ')}`;
}

function sentencesOf(paragraph: string): string[] {
  const segments = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(
    paragraph.replace(/\s*\n\s*/g, ' '),
  );
  return Array.from(segments, ({ segment }) => segment.trim()).filter(Boolean);
}

/** The sentences of one paragraph run on, and so do the items of one list; the rest is on its own. */
export function joined(quotes: Quote[]): string {
  return quotes.reduce((text, quote, i) => {
    const previous = quotes[i - 1];
    if (!previous) return quote.text;
    if (previous.block !== quote.block || previous.kind !== quote.kind) return `${text}\n\n${quote.text}`;
    return `${text}${quote.kind === 'sentence' ? ' ' : '\n'}${quote.text}`;
  }, '');
}
