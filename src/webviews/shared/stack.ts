import type { OpenFolder } from '../../extension/panels/webview-rpc.ts';
import { isFrame, isFramework, isOwnFile, ownFrames, pathOf } from '../../terms/stack-frames.ts';
import { shortPath } from './short-path.ts';

/** The maximum number of characters of an error that are shown with links. */
export const MAX_ERROR_LENGTH = 20_000;

/** A place in a file that a line of a stack names; `file` is an absolute path. */
export interface StackPlace {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/** A piece of an error's text; one with a place can be opened. */
interface StackPart {
  readonly text: string;
  readonly place?: StackPlace;
}

/**
 * A place in a stack: the end of a JavaScript frame, whose path may have spaces and parentheses; in other text
 * `/a/b.ts:3:7`, `file:///a/b.ts:3:7` and `C:\a\b.ts:3:7`; in Python `File "/a/b.py", line 3`.
 */
const PLACE =
  /(?<=^\s*at (?:[^\n]{0,200}? \()?(?:async )?)(?<frame>(?:file:\/\/\/?)?(?:\/|[A-Za-z]:[\\/])[^:\n]{1,400}):(?<frameLine>\d+):(?<frameColumn>\d+)(?=\)?$)|(?<![\w:])(?<js>(?:file:\/\/\/?)?(?:\/|[A-Za-z]:[\\/])[^\s()"':]{1,400}):(?<line>\d+):(?<column>\d+)|File "(?<pyFile>[^"\n]{1,400})", line (?<pyLine>\d+)/gm;

/**
 * Divides the text of an error, so that places in the user's own files are separate parts.
 * @param folders files below these folders are shown with relative paths
 */
export function stackParts(text: string, folders: readonly OpenFolder[] = []): StackPart[] {
  const parts: StackPart[] = [];
  let done = 0;
  for (const match of text.matchAll(PLACE)) {
    const { frame, frameLine, frameColumn, js, line, column, pyFile, pyLine } = match.groups ?? {};
    const file = pyFile ?? pathOf(frame ?? js ?? '');
    const [row, col] = [pyLine ?? frameLine ?? line, frameColumn ?? column];
    const place = toPlace(file, Number(row), col);
    const path = shortPath(file, folders);
    const relative = pyFile === undefined ? `${path}:${row}:${col}` : `File "${path}", line ${row}`;
    const shown = path === file ? match[0] : relative;
    if (place === undefined && shown === match[0]) continue;
    if (match.index > done) parts.push({ text: text.slice(done, match.index) });
    parts.push({ text: shown, ...(place !== undefined && { place }) });
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

/** Consecutive lines of a stack: of the user's own code, or of packages and the runtime that calls it. */
interface StackSection {
  readonly text: string;
  readonly isFramework: boolean;
  /** The number of frames. */
  readonly frames: number;
}

/** Divides a stack, so that consecutive frames of packages can be collapsed. */
export function stackSections(text: string): StackSection[] {
  const sections: StackSection[] = [];
  let wasFramework = false;
  for (const line of text.split('\n')) {
    const frames = isFrame(line) ? 1 : 0;
    // In Python, the lines of the source follow their frame.
    const belongsToFrame = /^(?:\s*\|)?\s{4,}\S/.test(line) || line.trim() === '';
    const isOfFramework: boolean = frames > 0 ? isFramework(line) : belongsToFrame && wasFramework;
    const last = sections.at(-1);
    if (last !== undefined && last.isFramework === isOfFramework)
      sections[sections.length - 1] = {
        ...last,
        text: `${last.text}\n${line}`,
        frames: last.frames + frames,
      };
    else sections.push({ text: line, isFramework: isOfFramework, frames });
    wasFramework = isOfFramework;
  }
  return sections;
}

/** Makes a place in the user's code; `undefined` for a place in a package. */
function toPlace(file: string, line: number, column: string | undefined): StackPlace | undefined {
  if (!isOwnFile(file)) return undefined;
  return { file, line, ...(column !== undefined && { column: Number(column) }) };
}
