import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceLocation } from '../../protocol/protocol.ts';

/**
 * A frame of a stack: `at name (file:///a/b.ts:3:7)`, `at file:///a/b.ts:3:7`, or a path in place of the
 * URL; with a drive on Windows (`file:///C:/a/b.ts`, `C:\a\b.ts`, `\\server\share\b.ts`). Folders may
 * have parentheses in their names.
 */
const FRAME =
  /^\s+at (?:.*?\()?(?:async )?((?:file:\/\/\/?(?:[A-Za-z]:)?|[A-Za-z]:(?=[\\/])|\/|\\\\)[^:\n]+):(\d+):(\d+)\)?$/gm;

const onWindows = process.platform === 'win32';

/**
 * The topmost frame of a stack in the user's own code, not in a dependency, Node or this runtime.
 */
export function firstUserFrame(stack: string, windows = onWindows): SourceLocation | undefined {
  for (const [, place, line, column] of stack.matchAll(FRAME)) {
    const file = place === undefined ? undefined : toPath(place, windows);
    if (file === undefined || !isUserFile(file)) continue;
    return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

/** Cuts a stack off below its last frame in the user's code; unchanged if it has none. */
export function fromUserCode(stack: string, windows = onWindows): string {
  const frames = [...stack.matchAll(FRAME)];
  const last = frames.findLast(([, place]) => {
    const file = place === undefined ? undefined : toPath(place, windows);
    return file !== undefined && isUserFile(file);
  });
  return last === undefined ? stack : stack.slice(0, last.index + last[0].length);
}

/** The folder of the bundles, or of the runtime's sources. */
const ownFolder = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '..' : '.', import.meta.url));

export function isUserFile(file: string): boolean {
  return !file.split(/[\\/]/).includes('node_modules') && !file.startsWith(ownFolder);
}

/**
 * The path of a `file:` URL, without a loader's query, or an absolute path itself; undefined for anything
 * else.
 */
export function toPath(place: string, windows = onWindows): string | undefined {
  if (place.startsWith('file:')) {
    try {
      return fileURLToPath(place, { windows });
    } catch {
      // The URL is invalid, or names another host.
      return undefined;
    }
  }
  return (windows ? path.win32 : path.posix).isAbsolute(place) ? place : undefined;
}
