import { sep } from 'node:path';
import { partsOfError } from '../terms/error-text.ts';
import { frameOf, isOwnFile, ownFrames, type StackFrame } from '../terms/stack-frames.ts';

/** The place in the project where an error was thrown. */
export type ErrorPlace = StackFrame;

/** The lines of an error's stack, without its message; empty when it has none. */
export function errorStackLines(error: string): string[] {
  const { stack } = partsOfError(error);
  return stack === '' ? [] : stack.split('\n');
}

/** The lines of an error's stack. Consecutive frames in libraries are replaced by a line with their number. */
export function ownStackLines(error: string): string[] {
  const lines: string[] = [];
  let skipped = 0;
  let isSkipping = false;
  const endSkipped = () => {
    if (skipped > 0) lines.push(`  … ${skipped} library ${skipped === 1 ? 'frame' : 'frames'}`);
    skipped = 0;
  };
  for (const line of errorStackLines(error)) {
    const file = frameOf(line)?.file;
    // The lines of code below a Python frame are indented further.
    if (file === undefined && isSkipping && /^(?:\s*\|)?\s{4}/.test(line)) continue;
    isSkipping = file !== undefined && !isOwn(file);
    if (isSkipping) skipped++;
    else {
      endSkipped();
      lines.push(line);
    }
  }
  endSkipped();
  return lines;
}

/** The innermost frame of a stack in the project; undefined when there is none. */
export function errorPlace(error: string): ErrorPlace | undefined {
  return errorFrames(error)[0];
}

/** The frames of a stack in the project, the innermost first. */
export function errorFrames(error: string): ErrorPlace[] {
  return ownFrames(error).filter(({ file }) => isOwn(file));
}

/** The path in the deployed source of a file in a deployment's build folder; other paths unchanged. */
export function sourceNameOf(file: string): string {
  return /[\\/]deployments[\\/][\da-f-]{36}[\\/]builds[\\/][\da-f]+[\\/](.+)$/.exec(file)?.[1] ?? file;
}

/** The folder with this program and the runtimes. */
const ownFolder = import.meta.dirname + sep;

function isOwn(file: string): boolean {
  return isOwnFile(file) && !file.startsWith(ownFolder);
}
