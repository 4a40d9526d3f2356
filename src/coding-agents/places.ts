import path from 'node:path';
import { type ErrorPlace, sourceNameOf } from '../client/error-text.ts';
import type { SourceLocation } from '../contract/harbor.ts';

/** A place in the sources as tools name it: `src/agent.ts:12`, relative to the project if it is in it. */
export function placeText({ file, line }: ErrorPlace | SourceLocation, folder: string | undefined): string {
  if (folder === undefined) return `${sourceNameOf(file)}:${line}`;
  const relative = path.relative(folder, file);
  const isInside = !relative.startsWith('..') && !path.isAbsolute(relative);
  return `${isInside ? relative.replaceAll('\\', '/') : sourceNameOf(file)}:${line}`;
}
