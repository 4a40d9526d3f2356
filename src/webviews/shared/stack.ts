import { isFrame, isFramework, isOwnFile, ownFrames, pathOf } from '../../terms/stack-frames.ts';

/** Characters of an error that are shown with links. */
export const MAX_ERROR_LENGTH = 20_000;

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

/**
 * A frame of JavaScript up to its end, whose path may have spaces and parentheses; in other text `/a/b.ts:3:7`,
 * `file:///a/b.ts:3:7` and `C:\a\b.ts:3:7`; Python's `File "/a/b.py", line 3`.
 */
const PLACE =
  /(?<=^\s*at (?:[^\n]{0,200}? \()?(?:async )?)(?<frame>(?:file:\/\/\/?)?(?:\/|[A-Za-z]:[\\/])[^:\n]{1,400}):(?<frameLine>\d+):(?<frameColumn>\d+)(?=\)?$)|(?<![\w:])(?<js>(?:file:\/\/\/?)?(?:\/|[A-Za-z]:[\\/])[^\s()"':]{1,400}):(?<line>\d+):(?<column>\d+)|File "(?<pyFile>[^"\n]{1,400})", line (?<pyLine>\d+)/gm;

/** An error's text in parts, with the places in the user's own files separated. */
export function stackParts(text: string): StackPart[] {
  const parts: StackPart[] = [];
  let done = 0;
  for (const match of text.matchAll(PLACE)) {
    const { frame, frameLine, frameColumn, js, line, column, pyFile, pyLine } = match.groups ?? {};
    const file = pyFile ?? pathOf(frame ?? js ?? '');
    const found = toPlace(file, Number(pyLine ?? frameLine ?? line), frameColumn ?? column);
    if (found === undefined) continue;
    if (match.index > done) parts.push({ text: text.slice(done, match.index) });
    parts.push({ text: match[0], place: found });
    done = match.index + match[0].length;
  }
  if (done < text.length) parts.push({ text: text.slice(done) });
  return parts;
}

/** The innermost place of an error in the user's own files. */
export function innermostPlace(text: string): StackPlace | undefined {
  const [frame] = ownFrames(text);
  if (frame === undefined) return undefined;
  const { file, line, column } = frame;
  return { file, line, ...(column !== undefined && { column }) };
}

/** A piece of a stack: lines of the user's own code, or of packages and the runtime below it. */
export interface StackSection {
  readonly text: string;
  readonly isFramework: boolean;
  readonly lines: number;
}

/**
 * Consecutive frames of packages are separated, to be collapsed; other lines belong to the ones before them.
 */
export function stackSections(text: string): StackSection[] {
  const sections: StackSection[] = [];
  let wasFramework = false;
  for (const line of text.split('\n')) {
    const lines = isFrame(line) ? 1 : 0;
    // In Python a line of the source follows its frame.
    const isInside = /^(?:\s*\|)?\s{4,}\S/.test(line) || line.trim() === '';
    const isFolded: boolean = lines > 0 ? isFramework(line) : isInside && wasFramework;
    const last = sections.at(-1);
    if (last !== undefined && last.isFramework === isFolded)
      sections[sections.length - 1] = { ...last, text: `${last.text}\n${line}`, lines: last.lines + lines };
    else sections.push({ text: line, isFramework: isFolded, lines });
    wasFramework = isFolded;
  }
  return sections;
}

/** Locations in packages are not user code. */
function toPlace(file: string, line: number, column: string | undefined): StackPlace | undefined {
  if (!isOwnFile(file)) return undefined;
  return { file, line, ...(column !== undefined && { column: Number(column) }) };
}
