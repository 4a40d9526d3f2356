import type { Token, Tokens } from 'marked';

/** Items of a list, rows of a table or lines of code in a piece. */
export const PIECE_SIZE = 50;

/** The last items, rows or lines that more text may still change. */
const OPEN_UNITS = 2;

/** A long block that still grows, whose beginning is not read again. */
export interface OpenBlock {
  /** The pieces of it that are closed. */
  readonly pieces: number;
  readonly type: string;
  readonly isLoose: boolean;
  /** Text before the rest of the block that makes it a block of the same kind, such as the head of a table. */
  readonly prefix: string;
}

interface ClosedPieces extends OpenBlock {
  /** The text of the closed pieces, with the prefix of the block. */
  readonly text: string;
}

/** A long list, table or block of code as several of its kind; other blocks as they are. */
export function piecesOf(token: Token, open: OpenBlock | undefined): Token[] {
  if (isList(token)) {
    const items = token.items.slice(dummies(token, open));
    return chunks(items).map((part) => ({ ...token, items: part }));
  }
  if (isTable(token)) return chunks(token.rows).map((rows) => ({ ...token, rows }));
  if (isFenced(token)) return chunks(codeLines(token)).map((part) => ({ ...token, text: part.join('\n') }));
  return [token];
}

/** Whether a block is the rest of one whose beginning is closed. */
export function continues(token: Token | undefined, open: OpenBlock): boolean {
  if (token?.type !== open.type) return false;
  return !isList(token) || token.loose === open.isLoose;
}

/** The pieces of a block that more text does not change. */
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
  const skipped = dummies(list, open);
  const pieces = closedCount(list.items.length - skipped);
  if (pieces === 0) return undefined;
  const closed = list.items.slice(0, skipped + pieces * PIECE_SIZE);
  const [marker = ''] = /^ {0,3}(?:[-*+]|\d{1,9}[.)])/.exec(list.raw) ?? [];
  return {
    pieces,
    type: list.type,
    isLoose: list.loose,
    // An item with an empty line after it makes the others loose too.
    prefix: list.loose ? `${marker} x\n\n` : '',
    text: closed.map(({ raw }) => raw).join(''),
  };
}

/** The items of a list that come from the prefix. */
function dummies(list: Tokens.List, open: OpenBlock | undefined): number {
  return list.loose && open !== undefined ? 1 : 0;
}

function closedCount(units: number): number {
  return Math.max(0, Math.floor((units - OPEN_UNITS) / PIECE_SIZE));
}

function codeLines({ text }: Tokens.Code): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** At least one, which may be empty. */
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
