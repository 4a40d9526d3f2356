import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { z } from 'zod';
import { ifPresent } from '../../process/if-present.ts';
import { Failure } from '../terminal/failure.ts';

/** A named platform: `{"staging": {"url": "https://…", "api_key": "…", "tenant_id": "…"}}`. */
const StoredConnection = z.object({
  /** URL of the server; `us` and `eu` are the regions of the cloud. */
  url: z.string().min(1),
  api_key: z.string().optional(),
  tenant_id: z.string().optional(),
});
export type StoredConnection = z.output<typeof StoredConnection>;

const ConnectionFile = z.record(z.string(), StoredConnection);

/** The path of the connections file: `AGENT_HARBOR_CONNECTIONS`, else in the user's configuration folder. */
export function connectionFilePath(environment: NodeJS.ProcessEnv): string {
  const chosen = environment.AGENT_HARBOR_CONNECTIONS;
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  return join(envPaths('agent-harbor', { suffix: '' }).config, 'connections.json');
}

/**
 * Reads a connection by its name; `undefined` when there is no file, or no such connection in it.
 * @throws Failure for a file that other users can read, because it contains keys, and for an invalid file
 */
export async function readStoredConnection(
  environment: NodeJS.ProcessEnv,
  name: string,
): Promise<StoredConnection | undefined> {
  const file = connectionFilePath(environment);
  const info = await ifPresent(stat(file));
  if (info === undefined) return undefined;
  if (process.platform !== 'win32' && (info.mode & 0o077) !== 0) {
    throw new Failure(`${file} contains keys and can be read by other users. Run chmod 600 '${file}'.`);
  }
  try {
    return ConnectionFile.parse(JSON.parse(await readFile(file, 'utf8')))[name];
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Failure(`${file} is not a valid connections file: ${why}`);
  }
}
