import path from 'node:path';
import { type ErrorPlace, sourceNameOf } from '../client/error-frames.ts';
import type { SourceLocation } from '../contract/harbor.ts';

/**
 * Formats a place in the sources for answers of tools, such as `src/agent.ts:12`.
 * @param folder the project's folder; the paths of files in it are relative to it
 */
export function placeText({ file, line }: ErrorPlace | SourceLocation, folder: string | undefined): string {
  if (folder === undefined) return `${sourceNameOf(file)}:${line}`;
  const relative = path.relative(folder, file);
  const isInside = !relative.startsWith('..') && !path.isAbsolute(relative);
  return `${isInside ? relative.replaceAll('\\', '/') : sourceNameOf(file)}:${line}`;
}
