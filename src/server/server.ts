import { debugging as debuggingEndpoints } from '../contract/debugging.ts';
import { HARBOR_PROTOCOL, harbor as harborEndpoints } from '../contract/harbor.ts';
import { identity as identityEndpoints } from '../contract/identity.ts';
import { platform as platformEndpoints } from '../contract/platform.ts';
import { QuietMemory } from '../process/quiet-memory.ts';
import { CommitQueue } from './agent-server/commit-queue.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { debugHandlers } from './control-plane/debug-handlers.ts';
import { LiveDeployments, type OpenRequest } from './control-plane/live-deployments.ts';
import type { DataFolder } from './data-folder.ts';
import { harborHandlers } from './harbor-handlers.ts';
import type { Caller } from './http/caller.ts';
import { ChangeFeed } from './http/change-feed.ts';
import { dispatcher } from './http/dispatch.ts';
import { HttpError } from './http/errors.ts';
import { Origin, PortTakenError } from './http/origin.ts';
import { loopbackOnly } from './http/origin-policy.ts';
import { refuseMistakenAddress } from './http/other-address.ts';
import { Router } from './http/router.ts';
import { IdentityAdministration } from './identity/administration.ts';
import { Identity } from './identity/identity.ts';
import { identityHandlers } from './identity/identity-handlers.ts';
import { WorkspaceDeletion } from './identity/workspace-deletion.ts';
import type { Logger } from './logger.ts';
import { AgentServerMaker } from './make-agent-server.ts';
import { platformHandlers } from './platform-handlers.ts';
import { Presence } from './presence.ts';
import type { RuntimeHeadStart } from './runtimes/runtime-head-start.ts';
import type { DataFolderError } from './storage/data-folder-error.ts';
import { Settings } from './storage/settings.ts';
import { openStateDatabase, type StateDatabase } from './storage/state-database.ts';
import { Tracing } from './traces-thread/tracing.ts';

const PLATFORM_BODY_LIMIT = 50 * 1_048_576;
const PLATFORM_PORT = 'platform.port';

export interface ServerOptions {
  readonly folder: DataFolder;
  readonly version: string;
  readonly logger: Logger;
  /** Port of the platform; undefined is the one used before, or any free one. */
  readonly port: number | undefined;
  /** How long nobody must be present before the server ends, in ms; undefined is never. */
  readonly graceMs: number | undefined;
  /** How long a holder of workspaces must be away before they are let go of, in ms. */
  readonly holderGraceMs: number;
  /** The bundle that runs graphs of Node, and the traces' worker. */
  readonly nodeRuntime: string;
  /** The module that runs graphs of Python. */
  readonly pythonRuntime: string;
  readonly tracesWorker: URL;
  /** The program that guards the commands of builds. */
  readonly buildGuard: string;
  /** Milliseconds one command of an installation may take. */
  readonly installTimeoutMs: number;
  /** Address of GitHub's API, or of an enterprise server's. */
  readonly githubApi: string;
  /** Milliseconds without work after which the runtime of a built deployment sleeps. */
  readonly sleepAfterMs: number;
  readonly concurrency: number;
  readonly runTimeLimitMs: number;
  readonly continueAfterCrash: boolean;
  /** Opened before anything else is: its graphs take longer to load than the server. */
  readonly workspace?: OpenRequest | undefined;
  /** A process for the Node graphs of that workspace. */
  readonly headStart?: RuntimeHeadStart | undefined;
}

interface Parts {
  readonly db: StateDatabase;
  readonly origin: Origin;
  readonly live: LiveDeployments;
  readonly controlPlane: ControlPlane;
  readonly presence: Presence;
  readonly tracing: Tracing;
  readonly queue: CommitQueue;
  readonly folder: DataFolder;
}

/** The whole platform of one data folder: everything but the process around it. */
export class Server {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly startedAt: string;
  /**
   * Resolves when somebody asked for the end, or nobody needs the server any more; with an error when its data folder
   * has gone.
   */
  readonly ended: Promise<DataFolderError | undefined>;
  readonly #parts: Parts;

  private constructor(parts: Parts, fields: Pick<Server, 'apiKey' | 'startedAt' | 'ended'>) {
    this.#parts = parts;
    this.baseUrl = parts.origin.url;
    this.apiKey = fields.apiKey;
    this.startedAt = fields.startedAt;
    this.ended = fields.ended;
  }

  /** @throws PortTakenError for an explicit port, DataFolderError. */
  static async start(options: ServerOptions): Promise<Server> {
    const { folder, logger, version } = options;
    const startedAt = new Date().toISOString();
    const memory = new QuietMemory();
    const changes = new ChangeFeed();
    let hasFolder = true;
    const refuseWithoutFolder = () => {
      if (hasFolder) return;
      throw new HttpError(
        507,
        'The data folder was deleted. Nothing was stored, and the server is stopping.',
      );
    };
    /** Loaded once the first workspace is served. */
    let controlPlane: ControlPlane | undefined;
    const tracing = new Tracing({
      dataDir: folder.dir,
      baseUrl: () => origin.url,
      changes,
      logger,
      workerUrl: options.tracesWorker,
      version,
      hiddenNames: async (keyId) => (await controlPlane?.secretNames(keyId)) ?? [],
    });
    const db = await openStateDatabase(folder.dir, version);
    const identity = new Identity(db);
    const settings = new Settings(db);
    const queue = new CommitQueue(db);
    const { organizationId, workspaceId } = await identity.defaultWorkspace();
    const { apiKey, tracingKey } = await localKeys(folder, identity, { organizationId, workspaceId });
    await identity.setOwner(apiKey);
    const router = new Router();
    let isStarting = true;
    const origin: Origin = await listen(
      options,
      settings,
      dispatcher({
        router,
        logger,
        cors: () => loopbackOnly,
        bodyLimit: PLATFORM_BODY_LIMIT,
        authenticate: async (request, credentials) => {
          refuseWithoutFolder();
          return identity.authenticate(request.headers, credentials);
        },
        hold: (caller, end) => identity.hold(caller, end),
        // Tracing clients take a 404 for good, and try again after this.
        otherwise: async ({ url = '/' }) => {
          refuseMistakenAddress('platform', url);
          if (!isStarting) return false;
          throw new HttpError(503, 'The server is starting. Try again.', { 'retry-after': '1' });
        },
      }),
    );
    const agentServers = new AgentServerMaker({
      version,
      logger,
      changes,
      storage: { db, queue },
      identity,
      tracing,
      memory,
      runs: {
        concurrency: options.concurrency,
        timeLimitMs: options.runTimeLimitMs,
        continueAfterCrash: options.continueAfterCrash,
      },
      nodeRuntime: options.nodeRuntime,
      pythonRuntime: options.pythonRuntime,
      headStart: options.headStart,
      sleepAfterMs: options.sleepAfterMs,
      baseUrl: () => origin.url,
      ownPorts: () => new Set([origin.port, ...live.ports, ...(controlPlane?.ports ?? [])]),
      checkFolder: refuseWithoutFolder,
    });
    const live: LiveDeployments = new LiveDeployments({
      db,
      changes,
      logger,
      tracingKey,
      makeAgentServer: (deployment) => agentServers.make(deployment),
    });
    const { promise: ended, resolve: end } = Promise.withResolvers<DataFolderError | undefined>();
    const presence = new Presence({
      busy: () => live.busy || controlPlane?.busy === true || tracing.busy,
      graceMs: options.graceMs,
      onUnused: () => end(undefined),
      holderGraceMs: options.holderGraceMs,
      onHolderGone: (holder) => live.release(holder),
    });
    if (options.workspace !== undefined) {
      const { holder } = options.workspace;
      // On its way, and gone if it does not come.
      if (holder !== undefined) presence.enter(holder)();
      const caller: Caller = { organizationId, workspaceId, by: { kind: 'loopback' } };
      // Whoever wants it asks again, and is told what is wrong.
      await live.open(caller, options.workspace).catch((error: unknown) => {
        options.headStart?.end();
        logger.warn({ err: error }, 'could not open the first folder');
      });
    }
    // From here on is what the graphs' callers do not wait for. The storage thread starts while the rest is loaded.
    const stored = tracing.open();
    stored.catch(() => {});
    const { ControlPlane } = await import('./control-plane/control-plane.ts');
    controlPlane = await ControlPlane.open({
      dataDir: folder.dir,
      organizationId,
      db,
      identity,
      changes,
      logger,
      live,
      projects: tracing.projects,
      buildGuard: options.buildGuard,
      installTimeoutMs: options.installTimeoutMs,
      environment: process.env,
      githubApi: options.githubApi,
      baseUrl: () => origin.url,
      makeAgentServer: (deployment) => agentServers.make(deployment),
    });
    router.mount(platformEndpoints, platformHandlers(router)).mount(
      harborEndpoints,
      harborHandlers({
        version,
        dataDir: folder.dir,
        startedAt,
        baseUrl: () => origin.url,
        changes,
        presence,
        live,
        shutDown: () => end(undefined),
      }),
    );
    router.mount(debuggingEndpoints, debugHandlers(live));
    controlPlane.mount(router);
    await tracing.mount(router);
    const deletion = new WorkspaceDeletion(db, identity, (request) => tracing.purgeWorkspace(request));
    await deletion.resume(logger);
    router.mount(identityEndpoints, identityHandlers(new IdentityAdministration(db, identity), deletion), [
      '',
      '/api/v1',
    ]);
    isStarting = false;
    await stored;
    await controlPlane.start();
    await folder.announce({
      base_url: origin.url,
      api_key: apiKey,
      pid: process.pid,
      version,
      harbor_protocol: HARBOR_PROTOCOL,
      started_at: startedAt,
    });
    await folder.watch((error) => {
      hasFolder = false;
      end(error);
    });
    void memory.after(undefined);
    logger.info({ base_url: origin.url, data_dir: folder.dir, node: process.versions.node }, 'ready');
    return new Server(
      { db, origin, live, controlPlane, presence, tracing, queue, folder },
      { apiKey, startedAt, ended },
    );
  }

  /** Ends everything in order: no new requests, runtimes, what is still to be written, the databases, the lock. */
  async stop(): Promise<void> {
    const { db, origin, live, controlPlane, presence, tracing, queue, folder } = this.#parts;
    presence.close();
    await folder.withdraw();
    await controlPlane.close();
    await live.closeAll();
    await origin.close();
    await queue.settled();
    await tracing.close();
    await db.destroy();
    folder.close();
  }
}

/**
 * The key of the machine's own clients, and one that agents served from folders trace with and that reaches no further
 * than their workspace; made at the first start and kept for the next.
 */
async function localKeys(
  folder: DataFolder,
  identity: Identity,
  { organizationId, workspaceId }: { organizationId: string; workspaceId: string },
): Promise<{ apiKey: string; tracingKey: string }> {
  const previous = await folder.previousKeys();
  const known = async (key: string | undefined, name: string) =>
    key !== undefined && (await identity.isKnown(key))
      ? key
      : identity.createKey({ organizationId, workspaceIds: [workspaceId], name });
  const apiKey = await known(previous.api_key, 'This machine');
  const tracingKey = await known(previous.tracing_key, 'Agents served from folders');
  if (apiKey !== previous.api_key || tracingKey !== previous.tracing_key) {
    await folder.keepKeys({ api_key: apiKey, tracing_key: tracingKey });
  }
  return { apiKey, tracingKey };
}

/** Keeps the platform's port over restarts, so that feedback links and saved addresses stay good. */
async function listen(
  options: ServerOptions,
  settings: Settings,
  listener: Parameters<typeof Origin.listen>[1],
): Promise<Origin> {
  if (options.port !== undefined && options.port !== 0) return Origin.listen(options.port, listener);
  const before = options.port === undefined ? await settings.number(PLATFORM_PORT) : undefined;
  const origin = await Origin.listen(before ?? 0, listener).catch((error: unknown) => {
    if (!(error instanceof PortTakenError)) throw error;
    options.logger.warn({ port: before }, 'the previous port is in use; saved links point to it');
    return Origin.listen(0, listener);
  });
  await settings.setNumber(PLATFORM_PORT, origin.port);
  return origin;
}
