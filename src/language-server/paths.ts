import path from 'node:path';
import { URI } from 'vscode-uri';

/** The path of a `file:` URI; undefined for documents that are not on disk. */
export function pathOf(uri: string): string | undefined {
  const parsed = URI.parse(uri);
  return parsed.scheme === 'file' ? parsed.fsPath : undefined;
}

/** A path as a `file:` URI, spelled as editors spell it. */
export function uriOf(file: string): string {
  return URI.file(file).toString();
}

/** A path in a form that can be compared: on Windows, a drive letter may be in upper or lower case. */
export function normalPath(file: string): string {
  return URI.file(file).fsPath;
}

/** Whether a file is a langgraph.json, by its name. */
export function isConfig(file: string): boolean {
  return path.basename(file) === 'langgraph.json';
}
