import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { isAlive } from './process-tree.ts';
import { eventually } from './wait.ts';

export interface DataFolder extends AsyncDisposable {
  readonly path: string;
  /** The process of the server that announced itself here last, if there was one. */
  serverPid(): Promise<number | undefined>;
}

/** A data folder for one test; its server ends with it. */
export async function dataFolder(): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), 'agent-harbor-data-'));
  const serverPid = async () => {
    try {
      return z.object({ pid: z.int() }).parse(JSON.parse(await readFile(join(path, 'server.json'), 'utf8')))
        .pid;
    } catch {
      return undefined;
    }
  };
  return {
    path,
    serverPid,
    async [Symbol.asyncDispose]() {
      const pid = await serverPid();
      if (pid !== undefined && pid !== process.pid && isAlive(pid)) {
        process.kill(pid, 'SIGKILL');
        await eventually('the server has gone', () => !isAlive(pid));
      }
      // On Windows, it is in use until the last server that found it locked has ended.
      await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
