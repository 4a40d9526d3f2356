import type { Token, Tokens } from 'marked';

/** The number of items of a list, rows of a table or lines of code in a piece. */
const PIECE_SIZE = 50;

/** How many items, rows or lines at the end more text can change. */
const OPEN_UNITS = 2;

/** A long block that still grows, and whose closed pieces are not read again. */
export interface OpenBlock {
  /** The number of closed pieces, which more text cannot change. */
  readonly pieces: number;
  readonly type: string;
  /** Whether the items of a list have paragraphs; Markdown calls such a list loose. */
  readonly isLoose: boolean;
  /** Text to put before the rest of the block, so that it is still a block of its kind: the head of a table. */
  readonly prefix: string;
}

interface ClosedPieces extends OpenBlock {
  /** The text of the closed pieces, including the prefix. */
  readonly text: string;
}

/** Divides a long list, table or block of code into several of its kind; other blocks stay whole. */
export function piecesOf(token: Token, open: OpenBlock | undefined): Token[] {
  if (isList(token)) {
    const items = token.items.slice(prefixItems(token, open));
    return chunks(items).map((part) => ({ ...token, items: part }));
  }
  if (isTable(token)) return chunks(token.rows).map((rows) => ({ ...token, rows }));
  if (isFenced(token)) return chunks(codeLines(token)).map((part) => ({ ...token, text: part.join('\n') }));
  return [token];
}

/** Whether a block continues one whose beginning is closed. */
export function continues(token: Token | undefined, open: OpenBlock): boolean {
  if (token?.type !== open.type) return false;
  return !isList(token) || token.loose === open.isLoose;
}

/** The pieces of a block that more text cannot change; `undefined` without any. */
export function closedPieces(token: Token, open: OpenBlock | undefined): ClosedPieces | undefined {
  if (isList(token)) return closedItems(token, open);
  const hasLines = isTable(token) || isFenced(token);
  if (!hasLines) return undefined;
  const pieces = closedCount(isTable(token) ? token.rows.length : codeLines(token).length);
  if (pieces === 0) return undefined;
  const headLines = isTable(token) ? 2 : 1;
  const lines = token.raw.split('\n');
  const upTo = (count: number) => `${lines.slice(0, count).join('\n')}\n`;
  const text = upTo(headLines + pieces * PIECE_SIZE);
  return { pieces, type: token.type, isLoose: false, prefix: upTo(headLines), text };
}

function closedItems(list: Tokens.List, open: OpenBlock | undefined): ClosedPieces | undefined {
  const skipped = prefixItems(list, open);
  const pieces = closedCount(list.items.length - skipped);
  if (pieces === 0) return undefined;
  const closed = list.items.slice(0, skipped + pieces * PIECE_SIZE);
  const [marker = ''] = /^ {0,3}(?:[-*+]|\d{1,9}[.)])/.exec(list.raw) ?? [];
  // An item with an empty line after it makes the list loose.
  return {
    pieces,
    type: list.type,
    isLoose: list.loose,
    prefix: list.loose ? `${marker} x\n\n` : '',
    text: closed.map(({ raw }) => raw).join(''),
  };
}

/** How many items of a list come from the prefix. */
function prefixItems(list: Tokens.List, open: OpenBlock | undefined): number {
  return list.loose && open !== undefined ? 1 : 0;
}

function closedCount(units: number): number {
  return Math.max(0, Math.floor((units - OPEN_UNITS) / PIECE_SIZE));
}

function codeLines({ text }: Tokens.Code): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** Divides units into pieces. Without units there is one piece, which is empty. */
function chunks<Unit>(units: readonly Unit[]): Unit[][] {
  const count = Math.max(1, Math.ceil(units.length / PIECE_SIZE));
  return Array.from({ length: count }, (_, at) => units.slice(at * PIECE_SIZE, (at + 1) * PIECE_SIZE));
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

function isFenced(token: Token): token is Tokens.Code {
  return token.type === 'code' && token['codeBlockStyle'] !== 'indented';
}
