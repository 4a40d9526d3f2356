/** A statement of an env file that cannot be read, by its first line. */
interface BadLine {
  readonly line: number;
  /** A sentence without file and line. */
  readonly message: string;
}

interface EnvFile {
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
 * Reads the variables of an env file as python-dotenv does, which `langgraph dev` uses (docs/langgraph-json.md). A name
 * without `=`, which python-dotenv ignores, is a bad line.
 * @param environment values of `${NAME}` for names that the file has not set further up.
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
 * @param environment values of `${NAME}` for names that the file has not set further up.
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
