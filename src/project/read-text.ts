import { readFile } from 'node:fs/promises';

/** A text file, without the byte order mark that editors on Windows put before it. */
export async function readText(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
}
