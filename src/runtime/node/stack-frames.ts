import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceLocation } from '../protocol/protocol.ts';

/** `at name (file:///a/b.ts:3:7)`, `at file:///a/b.ts:3:7` or a path in place of the URL. */
const FRAME = /^\s+at (?:.*\()?(?:async )?((?:file:\/\/)?(?:[A-Za-z]:)?[^():]+):(\d+):(\d+)\)?$/gm;

/** Where the user's own code comes up first in a stack: not in a dependency and not in Node or this runtime. */
export function firstUserFrame(stack: string): SourceLocation | undefined {
  for (const [, place, line, column] of stack.matchAll(FRAME)) {
    const file = place === undefined ? undefined : toPath(place);
    if (file === undefined || !isUserFile(file)) continue;
    return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

/** A stack without frames of this runtime, LangGraph and Node, if it contains user code. */
export function fromUserCode(stack: string): string {
  const frames = [...stack.matchAll(FRAME)];
  const last = frames.findLast(([, place]) => {
    const file = place === undefined ? undefined : toPath(place);
    return file !== undefined && isUserFile(file);
  });
  return last === undefined ? stack : stack.slice(0, last.index + last[0].length);
}

const ownFolder = path.dirname(fileURLToPath(import.meta.url)) + path.sep;

export function isUserFile(file: string): boolean {
  return !file.split(path.sep).includes('node_modules') && !file.startsWith(ownFolder);
}

/** An absolute path of a path or `file:` URL, without a loader's query; undefined for anything else. */
export function toPath(place: string): string | undefined {
  if (place.startsWith('file:')) {
    try {
      return fileURLToPath(place);
    } catch {
      return undefined;
    }
  }
  return path.isAbsolute(place) ? place : undefined;
}
