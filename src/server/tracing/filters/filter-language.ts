/**
 * A parsed filter in the public filter language, such as
 * `and(eq(run_type, "llm"), gt(latency, "5s"), has(tags, "x"), search("refund"))`. Strings are JSON strings (single
 * quotes are accepted too), lists are in brackets, and `True`/`False`/`None` are accepted. `at` is a position in the
 * text.
 */
export type Expression =
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: readonly Expression[];
      readonly at: number;
    }
  | { readonly kind: 'field'; readonly name: string; readonly at: number }
  | { readonly kind: 'literal'; readonly value: Literal; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly Expression[]; readonly at: number };
export type Literal = string | number | boolean | null;

/** A comparison: `op(field, value)`. */
export interface Comparison {
  readonly op: string;
  readonly field: string;
  readonly value: Literal | readonly Literal[];
  /** The position of the comparison in the filter, for errors. */
  readonly at: number;
}

/** The name of a comparison's field, which clients write with or without quotes; undefined for any other expression. */
export function fieldNameOf(expression: Expression): string | undefined {
  if (expression.kind === 'field') return expression.name;
  return expression.kind === 'literal' && typeof expression.value === 'string' ? expression.value : undefined;
}

/** The value of a literal. @throws FilterError for any other expression */
export function literalOf(expression: Expression): Literal {
  if (expression.kind === 'literal') return expression.value;
  throw new FilterError('expected a string, a number, true, false or null', expression.at);
}

/** Thrown for an invalid filter; the message says where and why. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
  constructor(message: string, at: number) {
    super(`${message} (at character ${at + 1})`);
  }
}

const SPACE = /\s*/y;
const TOKEN =
  /(?:([A-Za-z_][\w.]*)|("(?:[^"\\]|\\[\s\S])*")|('(?:[^'\\]|\\[\s\S])*')|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([(),[\]]))/y;
const KEYWORDS: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
]);
/**
 * The limits of a filter, the first one in characters. The others exist because comparisons may need index
 * look-ups, and SQLite limits nesting to 1000.
 */
const MAX_LENGTH = 1_000_000;
const MAX_COMPARISONS = 500;
const MAX_DEPTH = 32;

interface Token {
  readonly type: 'name' | 'string' | 'number' | 'mark' | 'end';
  readonly text: string;
  readonly at: number;
}

/** Parses a filter, which is usually a call such as `and(…)`. @throws FilterError for a syntax error */
export function parseFilter(text: string): Expression {
  if (text.length > MAX_LENGTH) {
    throw new FilterError(`the filter is longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
  }
  const tokens = tokenize(text);
  let next = 0;
  let calls = 0;
  const peek = () => tokens[next] ?? { type: 'end' as const, text: '', at: text.length };

  function expect(mark: string): void {
    const token = peek();
    if (token.text !== mark || token.type !== 'mark') {
      throw new FilterError(`expected '${mark}' instead of ${describe(token)}`, token.at);
    }
    next++;
  }

  function list(closing: string, depth: number): Expression[] {
    const items: Expression[] = [];
    if (peek().type === 'mark' && peek().text === closing) {
      next++;
      return items;
    }
    for (;;) {
      items.push(expression(depth + 1));
      if (peek().type === 'mark' && peek().text === ',') next++;
      else break;
    }
    expect(closing);
    return items;
  }

  function expression(depth: number): Expression {
    const token = peek();
    if (depth > MAX_DEPTH) throw new FilterError(`nested deeper than ${MAX_DEPTH} levels`, token.at);
    next++;
    switch (token.type) {
      case 'string':
        return { kind: 'literal', value: unquote(token), at: token.at };
      case 'number':
        return { kind: 'literal', value: Number(token.text), at: token.at };
      case 'name': {
        if (peek().type === 'mark' && peek().text === '(') {
          next++;
          if (++calls > MAX_COMPARISONS) {
            throw new FilterError(
              `more than ${MAX_COMPARISONS} comparisons; use in(field, [...]) for many values`,
              token.at,
            );
          }
          return { kind: 'call', name: token.text, args: list(')', depth), at: token.at };
        }
        const keyword = KEYWORDS.get(token.text);
        return keyword === undefined
          ? { kind: 'field', name: token.text, at: token.at }
          : { kind: 'literal', value: keyword, at: token.at };
      }
      case 'mark':
        if (token.text === '[') return { kind: 'list', items: list(']', depth), at: token.at };
        throw new FilterError(`expected a comparison or a value instead of '${token.text}'`, token.at);
      default:
        throw new FilterError('the filter is incomplete', token.at);
    }
  }

  const parsed = expression(0);
  if (peek().type !== 'end')
    throw new FilterError(`unexpected ${describe(peek())} after the end of the filter`, peek().at);
  return parsed;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = afterSpace(text, 0);
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) throw new FilterError(`unexpected '${text.slice(at, at + 12)}'`, at);
    const [whole, name, double, single, number, mark] = match;
    const value = name ?? double ?? single ?? number ?? mark ?? '';
    const type =
      name !== undefined
        ? 'name'
        : (double ?? single) !== undefined
          ? 'string'
          : number !== undefined
            ? 'number'
            : 'mark';
    tokens.push({ type, text: value, at });
    at = afterSpace(text, at + whole.length);
  }
  return tokens;
}

function afterSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** Reads a string in single or double quotes. */
function unquote(token: Token): string {
  const json = token.text.startsWith("'") ? toDoubleQuotes(token.text) : token.text;
  try {
    return String(JSON.parse(json.replaceAll('\n', '\\n')));
  } catch {
    throw new FilterError(`${token.text.slice(0, 40)} is not a valid string`, token.at);
  }
}

/** Converts a string in single quotes to JSON, in which double quotes are escaped, and single ones are not. */
function toDoubleQuotes(text: string): string {
  const inner = text.slice(1, -1).replace(/\\[\s\S]|"/g, (found) => {
    if (found === "\\'") return "'";
    return found === '"' ? '\\"' : found;
  });
  return `"${inner}"`;
}

function describe(token: Token): string {
  return token.type === 'end' ? 'the end' : `'${token.text}'`;
}
