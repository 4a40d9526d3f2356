import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { missingParts } from './executable.ts';
import { openServerLog, type ServerLog } from './server-log.ts';
import { type SpawnedServer, type SpawnOptions, spawnServer } from './spawn-server.ts';

const LOOK_EVERY_MS = 10;
/** Whatever holds it up then, is for whoever greets it to find out. */
const PATIENCE_MS = 3_000;

/**
 * A server whose process was begun before the client that will greet it had been loaded, so that both load at once.
 * Where there seems to be a server already, and where none can run, nothing is begun and nothing said: starting one in
 * the usual way finds it, or finds out why.
 */
export class HeadStart {
  #begun: { readonly server: SpawnedServer; readonly log: ServerLog } | undefined;

  static async begin(options: SpawnOptions): Promise<HeadStart> {
    const headStart = new HeadStart();
    if ((await isAnnounced(options.dataDir)) || missingParts().length > 0) return headStart;
    const log = await openServerLog(options.dataDir).catch(() => undefined);
    if (log !== undefined) headStart.#begun = { server: spawnServer(options, log), log };
    return headStart;
  }

  /**
   * Waits for the server to say where it is, or to have ended: what greets it, loaded before, only takes processor time
   * from it and its graphs.
   */
  async announced(dataDir: string, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (this.#begun?.server.ending() === undefined && performance.now() < deadline && !signal.aborted) {
      if (this.#begun === undefined || (await isAnnounced(dataDir))) return;
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** The process and its log, once: they are the taker's now. */
  take(): { readonly server: SpawnedServer; readonly log: ServerLog } | undefined {
    const begun = this.#begun;
    this.#begun = undefined;
    return begun;
  }
}

async function isAnnounced(dataDir: string): Promise<boolean> {
  return access(join(dataDir, 'server.json')).then(
    () => true,
    () => false,
  );
}
