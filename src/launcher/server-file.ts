import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** `server.json` of a data folder: where its server is. Only its owner can read it. */
export const ServerFile = z.looseObject({
  base_url: z.url(),
  api_key: z.string().min(1),
  pid: z.int(),
  version: z.string(),
  harbor_protocol: z.int(),
  started_at: z.string(),
});
export type ServerFile = z.output<typeof ServerFile>;

/** @returns `undefined` when the file does not exist or is not valid (it may be half written). */
export async function readServerFile(dataDir: string): Promise<ServerFile | undefined> {
  try {
    return ServerFile.parse(JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
