import path from 'node:path';
import { URI } from 'vscode-uri';

/** The path of a `file:` URI; undefined for documents that are not on disk. */
export function pathOf(uri: string): string | undefined {
  const parsed = URI.parse(uri);
  return parsed.scheme === 'file' ? parsed.fsPath : undefined;
}

/** The path in the spelling of editors. */
export function uriOf(file: string): string {
  return URI.file(file).toString();
}

/** A path in the one form in which it can be compared: Windows has two for a drive's letter. */
export function normalPath(file: string): string {
  return URI.file(file).fsPath;
}

/** Whether a file is a langgraph.json, by its name. */
export function isConfig(file: string): boolean {
  return path.basename(file) === 'langgraph.json';
}
