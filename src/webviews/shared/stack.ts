/** A place in a file that a line of a stack names. */
export interface StackPlace {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/** A piece of an error's text; one with a place can be opened. */
export interface StackPart {
  readonly text: string;
  readonly place?: StackPlace;
}

/** `/a/b.ts:3:7`, `file:///a/b.ts:3:7`, `C:\a\b.ts:3:7`; Python's `File "/a/b.py", line 3`. */
const place =
  /(?<![\w:])(?<js>(?:file:\/\/\/?)?(?<file>(?:\/|[A-Za-z]:[\\/])[^\s()"':]{1,400}):(?<line>\d+):(?<column>\d+))|(?<py>File "(?<pyFile>[^"\n]{1,400})", line (?<pyLine>\d+))/g;

/** An error's text in parts, those that name a place in a file of somebody's own apart. */
export function stackParts(text: string): StackPart[] {
  const parts: StackPart[] = [];
  let done = 0;
  for (const match of text.matchAll(place)) {
    const { file, line, column, pyFile, pyLine } = match.groups ?? {};
    const found = toPlace(pyFile ?? file ?? '', Number(pyLine ?? line), column);
    if (found === undefined) continue;
    if (match.index > done) parts.push({ text: text.slice(done, match.index) });
    parts.push({ text: match[0], place: found });
    done = match.index + match[0].length;
  }
  if (done < text.length) parts.push({ text: text.slice(done) });
  return parts;
}

/** Places inside packages are nobody's own. */
function toPlace(file: string, line: number, column: string | undefined): StackPlace | undefined {
  if (/[\\/](?:node_modules|site-packages|dist-packages)[\\/]/.test(file) || !/^(?:\/|[A-Za-z]:)/.test(file))
    return undefined;
  return { file, line, ...(column !== undefined && { column: Number(column) }) };
}
