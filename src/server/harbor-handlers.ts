import { HARBOR_PROTOCOL, type harbor as harborEndpoints, type LogLine } from '../contract/harbor.ts';
import { pause } from '../process/pause.ts';
import type { OpenFolders } from './folders/open-folders.ts';
import type { ChangeFeed } from './http/change-feed.ts';
import { frame } from './http/event-stream.ts';
import type { Handlers } from './http/router.ts';
import type { OtlpReceiver } from './otlp-receiver.ts';
import type { Presence } from './presence.ts';

/** How long a request waits for graphs to load. Clients then repeat it, so that no request reaches a client's timeout. */
const LOADED_MS = 10_000;

export interface HarborOptions {
  readonly version: string;
  readonly dataDir: string;
  readonly startedAt: string;
  readonly baseUrl: string;
  readonly changes: ChangeFeed;
  readonly presence: Presence;
  readonly folders: OpenFolders;
  readonly receiver: OtlpReceiver;
  shutDown(): void;
}

/**
 * The endpoints for clients on this machine, in addition to the public interface: the handshake, the change feed with the
 * presence of clients, open folders, and their logs.
 */
export function harborHandlers(options: HarborOptions): Handlers<typeof harborEndpoints> {
  const { changes, presence, folders, receiver } = options;
  return {
    handshake: () => ({
      version: options.version,
      harbor_protocol: HARBOR_PROTOCOL,
      pid: process.pid,
      data_dir: options.dataDir,
      base_url: options.baseUrl,
      started_at: options.startedAt,
      clients: presence.clients,
      busy: presence.busy,
      stays_up: presence.staysUp,
    }),
    changes: async ({ caller, query }, open) => {
      const stream = open();
      const leave = presence.enter(query);
      const unsubscribe = changes.subscribe(caller.workspaceId, (batch) => stream.send('changes', batch));
      await stream.closed;
      unsubscribe();
      leave();
    },
    openFolder: ({ caller, body }) => folders.open(caller, body),
    getFolder: async ({ caller, params: { deployment_id }, query }) => {
      if (query.loaded === true) await waitAtMost(LOADED_MS, folders.whenLoaded(caller, deployment_id));
      return folders.get(caller, deployment_id);
    },
    locateGraph: ({ caller, params }) => folders.locateGraph(caller, params.deployment_id, params.graph_id),
    restartFolder: ({ caller, params }) => folders.restart(caller, params.deployment_id),
    closeFolder: async ({ caller, params, body }) => {
      await folders.close(caller, params.deployment_id, body.holder);
      return undefined;
    },
    openReceiver: ({ caller, body }) => receiver.open(caller, body),
    closeReceiver: ({ body }) => {
      receiver.release(body.holder);
      return undefined;
    },
    log: async ({ caller, params, query }, open) => {
      const book = folders.log(caller, params.deployment_id);
      const stream = open();
      const send = async (lines: readonly LogLine[]) => {
        const frames = lines.map((line) => frame('log', JSON.stringify(line), line.id));
        if (!stream.write(frames.join(''))) await stream.waitForDrain();
      };
      if (query.follow === false) {
        await send(book.lines);
        return stream.end();
      }
      const gone = new AbortController();
      void stream.closed.then(() => gone.abort());
      for await (const lines of book.read(gone.signal, query.since_load)) await send(lines);
    },
    shutdown: ({ body }) => {
      if (body.when === 'unused') return { ending: presence.endWhenUnused() };
      setImmediate(() => options.shutDown());
      return { ending: true };
    },
  };
}

/** Waits for a promise, for a limited time. */
async function waitAtMost(ms: number, what: Promise<void>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([what, pause(ms, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
