import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceLocation } from '../contract/harbor.ts';
import { messageOf } from './span-outcome.ts';

/** The place in the project where an error was thrown. */
export interface ErrorPlace extends SourceLocation {
  /** The function, where the stack names it. */
  readonly name?: string;
}

/**
 * The first line of an error, with its type. Python's tracer stores `ValueError('no')`, JavaScript's the message
 * alone and below it the stack, which begins with the type.
 */
export function errorHead(error: string): string {
  const message = messageOf(error);
  const [first = ''] = (error.split('\n\n')[1] ?? '').split('\n', 1);
  return /^[\w.]+: /.test(first) && first.endsWith(message) ? first : message;
}

/** The lines below what an error says: its stack, if it has one. */
export function errorStackLines(error: string): string[] {
  const python = error.indexOf('Traceback (most recent call last)');
  if (python >= 0) return linesOf(error.slice(python));
  const frame = /^\s+at /m.exec(error);
  return frame === null ? [] : linesOf(error.slice(frame.index));
}

/** The lines of a stack, with the number of frames in place of those of libraries, so that few lines say what happened. */
export function ownStackLines(error: string): string[] {
  const lines: string[] = [];
  let skipped = 0;
  let isSkipping = false;
  const endSkipped = () => {
    if (skipped > 0) lines.push(`  … ${skipped === 1 ? 'a frame' : `${skipped} frames`} of libraries`);
    skipped = 0;
  };
  for (const line of errorStackLines(error)) {
    const file = fileOfFrame(line);
    // The lines of code below a frame of Python are indented further.
    if (file === undefined && isSkipping && /^\s{4}/.test(line)) continue;
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

function fileOfFrame(line: string): string | undefined {
  return (javaScriptFrames(line)[0] ?? pythonFrames(line)[0])?.file;
}

/** The first frame of a stack that is the project's own; in Python that is the last one. */
export function errorPlace(error: string): ErrorPlace | undefined {
  return errorFrames(error)[0];
}

/** The project's own frames of a stack, the innermost first. */
export function errorFrames(error: string): ErrorPlace[] {
  const frames = [...javaScriptFrames(error), ...pythonFrames(error).toReversed()];
  return frames.filter(({ file }) => isOwn(file));
}

/** `at async RunnableCallable.approve [as func] (file:///a/b.ts:3:7)`, `at /a/b.ts:3:7`. */
const javaScriptFrame =
  /^\s+at (?:(?:async |new )*([^\n(]*?)(?: \[as [^\]\n]*\])? \()?([^\s()][^()\n]*):(\d+):(\d+)\)?$/gm;

function javaScriptFrames(stack: string): ErrorPlace[] {
  return [...stack.matchAll(javaScriptFrame)].map(([, name, place = '', line, column]) => ({
    file: toPath(place.replace(/^async /, '')),
    line: Number(line),
    column: Number(column),
    // LangGraph calls a node without a name by its field.
    ...keepName(name === 'RunnableCallable.func' ? undefined : name?.split('.').at(-1)),
  }));
}

function pythonFrames(stack: string): ErrorPlace[] {
  return [...stack.matchAll(/^\s*File "([^"\n]+)", line (\d+)(?:, in (\S+))?/gm)].map(
    ([, file = '', line, name]) => ({ file, line: Number(line), ...keepName(name) }),
  );
}

/** Functions without a name, and the top level of a module, are not worth naming. */
function keepName(name: string | undefined): { name?: string } {
  return name === undefined || name === '' || /[<>]/.test(name) ? {} : { name };
}

/** A path of the system that the graph ran on, which may be another one than this. */
function toPath(place: string): string {
  try {
    const windows = /^file:\/\/\/[A-Za-z]:/.test(place);
    return place.startsWith('file:') ? fileURLToPath(place, { windows }) : place;
  } catch {
    return place;
  }
}

/** A file in a deployment's build folder, by its path in the deployed source; any other path unchanged. */
export function sourceNameOf(file: string): string {
  return /[\\/]deployments[\\/][\da-f-]{36}[\\/]builds[\\/][\da-f]+[\\/](.+)$/.exec(file)?.[1] ?? file;
}

/** This program and the runtimes beside it. */
const ownFolder = import.meta.dirname + sep;

function isOwn(file: string): boolean {
  return (
    /^(?:\/|[A-Za-z]:[\\/])/.test(file) &&
    !/[\\/](?:node_modules|site-packages|dist-packages)[\\/]|[\\/](?:lib[\\/]python3\.\d+|python3\d+[\\/]lib)[\\/]/i.test(
      file,
    ) &&
    !file.startsWith(ownFolder)
  );
}

function linesOf(text: string): string[] {
  return text.replace(/^\n+/, '').trimEnd().split('\n');
}
