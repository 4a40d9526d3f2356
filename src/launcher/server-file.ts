import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServerFile } from '../contract/server-file.ts';

/** @returns `undefined` when the file does not exist or is not valid (it may be half written). */
export async function readServerFile(dataDir: string): Promise<ServerFile | undefined> {
  try {
    return ServerFile.parse(JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
