import { joinNames } from './join-names.ts';
import { isTracingVariable } from './tracing-variables.ts';

/** A statement of an env file that cannot be read, by its first line. */
export interface BadLine {
  readonly line: number;
  /** A sentence without file and line. */
  readonly message: string;
}

export interface EnvFile {
  readonly variables: Readonly<Record<string, string>>;
  readonly badLines: readonly BadLine[];
}

/** A line of an env file cannot be read; the message has its file and number. */
export class EnvFileError extends Error {
  override readonly name = 'EnvFileError';
  readonly file: string;
  readonly line: number;
  constructor(file: string, { line, message }: BadLine) {
    super(`${file}:${line}: ${message}`);
    this.file = file;
    this.line = line;
  }
}

const SPACE = String.raw`[^\S\n]*`;
const NAME = String.raw`(?:'(?<quotedName>[^']+)'|(?<name>[^\s='"#][^\s=#]*))`;
const VALUE = String.raw`(?:'(?<single>(?:\\[^]|[^'\\])*)'|"(?<double>(?:\\[^]|[^"\\])*)"|(?<plain>[^\s'"][^\n]*)?)`;
const STATEMENT = new RegExp(
  String.raw`(?:export[^\S\n]+|(?!export[^\S\n]))${NAME}${SPACE}=(?<gap>${SPACE})${VALUE}${SPACE}(?:#[^\n]*)?(?:\n|$)`,
  'y',
);
const BLANK = /(?:\s+|#[^\n]*)+/y;
const LINE = /[^\n]*(?:\n|$)/y;

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Reads the variables of an env file like python-dotenv, which `langgraph dev` uses (docs/langgraph-json.md). A name
 * without `=`, which python-dotenv ignores, is a bad line.
 * @param environment values for `${NAME}` that the file does not set before.
 */
export function readEnvFile(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): EnvFile {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const variables: Record<string, string> = {};
  const badLines: BadLine[] = [];
  let at = 0;
  const read = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < source.length) {
    if (read(BLANK) !== null) continue;
    const start = at;
    const groups = read(STATEMENT)?.groups;
    if (groups !== undefined) {
      variables[groups.quotedName ?? groups.name ?? ''] = expand(textOf(groups), variables, environment);
      continue;
    }
    const line = read(LINE)?.[0] ?? '';
    badLines.push({ line: source.slice(0, start).split('\n').length, message: complaint(line) });
  }
  return { variables, badLines };
}

/**
 * Reads the variables of an env file without bad lines.
 * @param file its path, for errors.
 * @param environment values for `${NAME}` that the file does not set before.
 * @throws EnvFileError for the first line that is neither a variable nor a comment.
 */
export function parseEnvFile(
  file: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const { variables, badLines } = readEnvFile(text, environment);
  if (badLines[0] !== undefined) throw new EnvFileError(file, badLines[0]);
  return variables;
}

/** Formats a value for an env file, in quotes if necessary. `${NAME}` cannot be escaped, and is replaced when read. */
export function envValue(value: string): string {
  if (!/[\s#'"\\]/.test(value)) return value;
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped.replaceAll('\r', '\\r')}"`;
}

/** The position of the first empty value in an env file; if there is none, the beginning of the file. */
export function firstEmptyValue(text: string): { readonly line: number; readonly character: number } {
  const lines = text.split(/\r?\n/);
  const line = lines.findIndex((one) => /^\s*[A-Za-z_]\w*\s*=\s*$/.test(one));
  return line < 0 ? { line: 0, character: 0 } : { line, character: lines[line]?.trimEnd().length ?? 0 };
}

/**
 * Sets variables in the text of an env file: in the line that lists the variable without a value, or else at
 * the end of the text.
 */
export function withValues(text: string, values: Readonly<Record<string, string>>): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  let changed = text;
  for (const [name, value] of Object.entries(values)) {
    const assignment = `${name}=${envValue(value)}`;
    const empty = new RegExp(
      String.raw`^(?<before>[^\S\n]*(?:export[^\S\n]+)?)${name.replace(/\W/g, '\\$&')}[^\S\n]*=[^\S\n]*(?:""|'')?[^\S\r\n]*(?=\r?$)`,
      'm',
    );
    const isListed = empty.test(changed);
    const gap = changed === '' || changed.endsWith('\n') ? '' : eol;
    changed = isListed
      ? changed.replace(empty, (_, before: string) => `${before}${assignment}`)
      : `${changed}${gap}${assignment}${eol}`;
  }
  return changed;
}

function textOf({ gap = '', single, double, plain = '' }: Record<string, string | undefined>): string {
  if (single !== undefined) return single.replace(/\\([\\'])/g, '$1');
  if (double !== undefined)
    return double.replace(/\\([\\'"abfnrtv])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
  // `NAME= # comment` is empty, `NAME=#value` is not.
  if (gap !== '' && plain.startsWith('#')) return '';
  return plain.replace(/\s+#[^\n]*/, '').trimEnd();
}

/** Replaces `${NAME}` and `${NAME:-default}`, also in values with quotes. */
function expand(
  value: string,
  variables: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return value.replace(
    /\$\{([^}:]*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise = '') => variables[name] ?? environment[name] ?? otherwise,
  );
}

function complaint(line: string): string {
  if (/=\s*["']/.test(line)) return 'The quotes of this value do not match, or text follows them.';
  return 'Not a variable. Write NAME=value, or # before a comment.';
}

/** Lists the variables of an example env file that are not set in the environment, without those for tracing. */
export function unsetVariables(
  example: string,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.keys(readEnvFile(example, environment).variables).filter(
    (name) => environment[name] === undefined && !isTracingVariable(name),
  );
}

/** The maximum number of variables that are named. */
const MAX_NAMED = 6;

/**
 * Describes a missing env file, and how to create it.
 * @param env its name in langgraph.json.
 * @param example the text of the example beside it, if there is one.
 * @returns undefined when the environment sets all variables of the example
 */
export function missingEnvSentence(
  env: string,
  example: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (example === undefined)
    return `Env file ${env} not found, so its variables are not set: create it, or change 'env'.`;
  const unset = unsetVariables(example, environment);
  if (unset.length === 0) return undefined;
  return `Env file ${env} not found, so ${joinNames(unset, MAX_NAMED)} ${unset.length === 1 ? 'is' : 'are'} not set: copy ${env}.example to ${env} and fill it in.`;
}
