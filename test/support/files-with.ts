import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The paths, in a folder, of all files that contain some bytes. */
export function filesWith(folder: string, bytes: Buffer | string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(bytes))
    .map((file) => path.relative(folder, file));
}
