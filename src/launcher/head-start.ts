import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exists } from '../process/exists.ts';
import { missingParts } from './executable.ts';
import { openServerLog, type ServerLog } from './server-log.ts';
import { type SpawnedServer, type SpawnOptions, spawnServer } from './spawn-server.ts';

const POLL_MS = 10;
/** The maximum wait for the server; then the client is loaded, which reports why the server does not answer. */
const MAX_WAIT_MS = 3_000;

/**
 * Starts the server process before the client has loaded, so that both load at the same time. If a server
 * seems to be running, or none can run, this does nothing; the usual start then finds the server, or reports
 * why none can run.
 */
export class HeadStart {
  #begun: { readonly server: SpawnedServer; readonly log: ServerLog } | undefined;

  static async begin(options: SpawnOptions): Promise<HeadStart> {
    const headStart = new HeadStart();
    if ((await isAnnounced(options.dataDir)) || missingParts().length > 0) return headStart;
    // The start that follows reports what is wrong with the data folder.
    const log = await openServerLog(options.dataDir).catch(() => undefined);
    if (log !== undefined) headStart.#begun = { server: spawnServer(options, log), log };
    return headStart;
  }

  /**
   * Waits until the server has announced its address or has exited. Loading the client earlier would only
   * take processor time from the server and its graphs.
   */
  async waitForAnnouncement(dataDir: string, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + MAX_WAIT_MS;
    while (this.#begun?.server.ending() === undefined && performance.now() < deadline && !signal.aborted) {
      if (this.#begun === undefined || (await isAnnounced(dataDir))) return;
      await sleep(POLL_MS);
    }
  }

  /** Hands over the process and its log, once. */
  take(): { readonly server: SpawnedServer; readonly log: ServerLog } | undefined {
    const begun = this.#begun;
    this.#begun = undefined;
    return begun;
  }

  /** Leaves the process running if it is the server that was found; otherwise, ends it. */
  release(found: { readonly pid: number }): void {
    const begun = this.take();
    begun?.server.endUnlessIs(found.pid);
    void begun?.log.close();
  }

  /** Ends the process, unless it was handed over or released, because no other client waits for it. */
  end(): void {
    const begun = this.take();
    begun?.server.end();
    void begun?.log.close();
  }
}

function isAnnounced(dataDir: string): Promise<boolean> {
  return exists(join(dataDir, 'server.json'));
}
