import { sep } from 'node:path';
import { partsOfError } from '../terms/error-text.ts';
import { frameOf, isOwnFile, ownFrames, type StackFrame } from '../terms/stack-frames.ts';

/** The place in the project where an error was thrown. */
export type ErrorPlace = StackFrame;

/** The lines below what an error says: its stack, if it has one. */
export function errorStackLines(error: string): string[] {
  const { stack } = partsOfError(error);
  return stack === '' ? [] : stack.split('\n');
}

/** The lines of a stack, with frames in libraries replaced by their number, so that a few lines say what happened. */
export function ownStackLines(error: string): string[] {
  const lines: string[] = [];
  let skipped = 0;
  let isSkipping = false;
  const endSkipped = () => {
    if (skipped > 0) lines.push(`  … ${skipped === 1 ? 'a frame' : `${skipped} frames`} of libraries`);
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

/** The first frame of a stack that is the project's own; in Python that is the last one. */
export function errorPlace(error: string): ErrorPlace | undefined {
  return errorFrames(error)[0];
}

/** The project's own frames of a stack, the innermost first. */
export function errorFrames(error: string): ErrorPlace[] {
  return ownFrames(error).filter(({ file }) => isOwn(file));
}

/** A file in a deployment's build folder, by its path in the deployed source; any other path unchanged. */
export function sourceNameOf(file: string): string {
  return /[\\/]deployments[\\/][\da-f-]{36}[\\/]builds[\\/][\da-f]+[\\/](.+)$/.exec(file)?.[1] ?? file;
}

/** This program and the runtimes beside it. */
const ownFolder = import.meta.dirname + sep;

function isOwn(file: string): boolean {
  return isOwnFile(file) && !file.startsWith(ownFolder);
}
