import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServerFile } from '../contract/server-file.ts';

/**
 * Reads the address of a data folder's server.
 * @returns undefined when there is no file, or it is not valid, for example half written.
 */
export async function readServerFile(dataDir: string): Promise<ServerFile | undefined> {
  try {
    return ServerFile.parse(JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
