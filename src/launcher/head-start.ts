import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { missingParts } from './executable.ts';
import { openServerLog, type ServerLog } from './server-log.ts';
import { type SpawnedServer, type SpawnOptions, spawnServer } from './spawn-server.ts';

/**
 * A server whose process was begun before the client that will greet it had been loaded, so that both load at once.
 * Where there seems to be a server already, and where none can run, nothing is begun and nothing said: starting one in
 * the usual way finds it, or finds out why.
 */
export class HeadStart {
  #begun: { readonly server: SpawnedServer; readonly log: ServerLog } | undefined;

  static async begin(options: SpawnOptions): Promise<HeadStart> {
    const headStart = new HeadStart();
    const known = await access(join(options.dataDir, 'server.json')).then(
      () => true,
      () => false,
    );
    if (known || missingParts().length > 0) return headStart;
    const log = await openServerLog(options.dataDir).catch(() => undefined);
    if (log !== undefined) headStart.#begun = { server: spawnServer(options, log), log };
    return headStart;
  }

  /** The process and its log, once: they are the taker's now. */
  take(): { readonly server: SpawnedServer; readonly log: ServerLog } | undefined {
    const begun = this.#begun;
    this.#begun = undefined;
    return begun;
  }
}
