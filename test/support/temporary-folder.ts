import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder that is removed with the scope it was made in: `await using folder = await temporaryFolder()`. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-')));
  return {
    path: folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
