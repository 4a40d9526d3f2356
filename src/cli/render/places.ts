import { relative } from 'node:path';
import { type ErrorPlace, sourceNameOf } from '../../client/error-frames.ts';
import type { SourceLocation } from '../../contract/harbor.ts';

/** An error in a sentence, with its location relative to the current folder: in the message, or else before it. */
export function failureSentence({
  message: text,
  location,
}: {
  readonly message: string;
  readonly location?: SourceLocation | undefined;
}): string {
  if (location === undefined) return text;
  const { file, line, column } = location;
  const place = placeOf(location);
  const whole = [`${file}:${line}:${column}`, `${file}:${line}`, file].find((path) => text.includes(path));
  const placed = whole === undefined ? `${place}: ${text}` : text.replace(whole, () => place);
  // Other mentions of the file are relative, too.
  return placed.replaceAll(file, () => shownPath(file));
}

/** `src/agent.ts:3:7`; a path outside the current folder stays absolute. */
export function placeOf({ file, line, column }: SourceLocation): string {
  const name = shownPath(file);
  return column === undefined ? `${name}:${line}` : `${name}:${line}:${column}`;
}

/** `at src/agent.ts:3:7 in approve` */
export function placeText({ name, ...place }: ErrorPlace): string {
  return `at ${placeOf(place)}${name === undefined ? '' : ` in ${name}`}`;
}

/**
 * A path as it is shown: relative to the current folder if it is in it; in a build, the path in the deployed
 * source.
 */
export function shownPath(file: string): string {
  const short = relative(process.cwd(), file);
  return sourceNameOf(short.startsWith('..') ? file : short);
}
