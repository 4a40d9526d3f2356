import { once } from 'node:events';
import { debugging as debuggingEndpoints } from '../contract/debugging.ts';
import { evaluators as evaluatorEndpoints } from '../contract/evaluators.ts';
import { HARBOR_PROTOCOL, harbor as harborEndpoints } from '../contract/harbor.ts';
import { platform as platformEndpoints } from '../contract/platform.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import type { DataFolder } from './data-folder.ts';
import { debugHandlers } from './folders/debug-handlers.ts';
import { evaluatorHandlers } from './folders/evaluator-handlers.ts';
import { harborHandlers } from './harbor-handlers.ts';
import type { Caller } from './http/caller.ts';
import type { Origin } from './http/origin.ts';
import type { Router } from './http/router.ts';
import { mountIdentity } from './identity/routes.ts';
import { WorkspaceDeletion } from './identity/workspace-deletion.ts';
import type { Logger } from './logger.ts';
import { makeServing, type Serving } from './make-serving.ts';
import { openPlatform, type Platform } from './open-platform.ts';
import { openState, type ServerState } from './open-state.ts';
import { type OpenTeam, openFrontDoorOf, openTeam } from './open-team.ts';
import { platformHandlers } from './platform-handlers.ts';
import { rolesOf, servesDeployments } from './roles.ts';
import { serveImageAgent } from './serve-image-agent.ts';
import type { ServerOptions } from './server-options.ts';
import type { DataFolderError } from './storage/data-folder-error.ts';
import type { Tracing } from './traces-thread/tracing.ts';

interface ServerParts {
  readonly folder: DataFolder;
  readonly state: ServerState;
  readonly platform: Platform;
  readonly serving: Serving;
  readonly controlPlane: ControlPlane;
  /** Where a load balancer sends the requests of a team. */
  readonly frontDoor: Origin | undefined;
}

/** The platform of one data folder, without the process around it. */
export class Server {
  readonly #parts: ServerParts;
  /**
   * Resolves when the end was requested, or the server is no longer needed; with an error when its data folder
   * no longer exists.
   */
  readonly ended: Promise<DataFolderError | undefined>;

  private constructor(parts: ServerParts, ended: Promise<DataFolderError | undefined>) {
    this.#parts = parts;
    this.ended = ended;
  }

  /** The platform's address. */
  get baseUrl(): string {
    return this.#parts.platform.origin.url;
  }

  /** The key of the machine's own clients. */
  get apiKey(): string {
    return this.#parts.state.apiKey;
  }

  /** @throws PortTakenError for an explicit port, DataFolderError, RollOutError for the agent of an image. */
  static async start(options: ServerOptions): Promise<Server> {
    const { folder, logger, version } = options;
    const startedAt = new Date().toISOString();
    const { promise: ended, resolve: end } = Promise.withResolvers<DataFolderError | undefined>();
    const state = await openState(options, (options.team ?? options.imageAgent)?.apiKey);
    void state.db.lost.then(end);
    const platform = await openPlatform(options, state);
    const team = options.team && (await openTeam(options.team, state.db));
    const serving = makeServing(options, { state, platform, team, onUnused: () => end(undefined) });
    const { tracing, memory, presence } = serving;
    await openFirstFolder(options, state, serving);
    if (options.imageAgent !== undefined)
      await serveImageAgent(options.imageAgent, { state, serving, logger });
    // Callers of the graphs do not wait for what follows. The storage thread starts while the rest is loaded.
    const stored = tracing.open();
    stored.catch(() => {});
    const controlPlane = await openControlPlane(options, { state, platform, serving, team });
    presence.stayWhile(() => controlPlane.busy);
    const { router, elsewhere } = platform;
    const roles = rolesOf(options);
    router
      .mount(
        platformEndpoints,
        platformHandlers(router, { ...state, ...serving, availability: platform.availability }),
      )
      .mount(
        harborEndpoints,
        harborHandlers({
          version,
          dataDir: folder.dir,
          startedAt,
          baseUrl: platform.origin.url,
          changes: serving.changes,
          presence,
          folders: serving.folders,
          shutDown: () => end(undefined),
        }),
      );
    router.mount(debuggingEndpoints, debugHandlers(serving.folders));
    router.mount(evaluatorEndpoints, evaluatorHandlers(serving.folders));
    controlPlane.mount(servesDeployments(roles) ? router : elsewhere);
    await tracing.mount(roles.has('traces') ? router : elsewhere);
    await mountIdentityOf(state, tracing, router, logger);
    platform.availability.setStarted();
    await stored;
    if (servesDeployments(roles)) await controlPlane.start();
    const frontDoor = await openFrontDoorOf(options, { platform, controlPlane });
    await folder.announce({
      base_url: platform.origin.url,
      api_key: state.apiKey,
      pid: process.pid,
      version,
      harbor_protocol: HARBOR_PROTOCOL,
      started_at: startedAt,
    });
    await folder.watch((error) => {
      platform.availability.setFolderGone();
      end(error);
    });
    void memory.after(undefined);
    logger.info(
      { base_url: platform.origin.url, data_dir: folder.dir, node: process.versions.node },
      'ready',
    );
    return new Server({ folder, state, platform, serving, controlPlane, frontDoor }, ended);
  }

  /**
   * Leaves its work to the other servers of its database, when there are any to come, and is not ready for requests any
   * more.
   * @param timeoutMs after which it gives up waiting for supersteps and answers.
   */
  async drain(timeoutMs: number): Promise<void> {
    const { state, platform, serving, frontDoor } = this.#parts;
    platform.availability.setEnding();
    if (!state.db.isShared || timeoutMs === 0) return;
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    void state.db.lost.then(() => over.abort());
    const leave = async () => {
      await state.db.drain();
      await serving.agents.drainAll(over.signal);
      await frontDoor?.waitForAnswers(over.signal);
    };
    // What asks a database that does not answer is not waited for.
    await Promise.race([leave(), once(over.signal, 'abort')]);
    clearTimeout(timer);
  }

  /** Stops in order: new requests, runtimes, pending writes, databases, lock. */
  async stop(): Promise<void> {
    const { folder, state, platform, serving, controlPlane, frontDoor } = this.#parts;
    serving.presence.close();
    state.identity.close();
    await folder.withdraw();
    await controlPlane.close();
    await serving.agents.stopAll();
    await controlPlane.flushLogs();
    await frontDoor?.close();
    await platform.origin.close();
    await state.queue.waitUntilSettled();
    await serving.tracing.close();
    await state.db.destroy();
    folder.close();
  }
}

/** The next client to open the folder tries again, and gets the error. */
async function openFirstFolder(
  { firstFolder, headStart, logger }: ServerOptions,
  { organizationId, workspaceId }: ServerState,
  { folders, presence }: Serving,
): Promise<void> {
  if (firstFolder === undefined) return;
  const { holder } = firstFolder;
  // On its way, and gone if it does not come.
  if (holder !== undefined) presence.enter({ holder })();
  const caller: Caller = { organizationId, workspaceId, by: { kind: 'loopback' } };
  await folders.open(caller, firstFolder).catch((error: unknown) => {
    headStart?.end();
    logger.warn({ err: error }, 'could not open the first folder');
  });
}

/** Identity, once the workspaces are deleted that an earlier server had begun to delete. */
async function mountIdentityOf(
  { db, identity }: ServerState,
  tracing: Tracing,
  router: Router,
  logger: Logger,
): Promise<void> {
  const deletion = new WorkspaceDeletion(db, identity, (request) => tracing.purgeWorkspace(request));
  await deletion.resume(logger);
  mountIdentity(router, { db, identity, deletion });
}

/** Loads the control plane, which nothing that serves folders waits for. */
async function openControlPlane(
  { folder, logger, programs, builds, sleepAfterMs }: ServerOptions,
  parts: { state: ServerState; platform: Platform; serving: Serving; team: OpenTeam | undefined },
): Promise<ControlPlane> {
  const { db, identity, organizationId } = parts.state;
  const { changes, secretNames, tracing, agents, maker, folders } = parts.serving;
  const { origin } = parts.platform;
  const { ControlPlane } = await import('./control-plane/control-plane.ts');
  return ControlPlane.open({
    host: { dataDir: folder.dir, environment: process.env, logger, changes, baseUrl: () => origin.url },
    db,
    identity,
    organizationId,
    serving: {
      agents,
      folders,
      makeAgentServer: (deployment) => maker.make(deployment),
      accessTo: (workspaceId) => maker.accessTo({ workspaceId, requiresKey: () => true }),
      sleepAfterMs,
    },
    builds: { ...builds, buildGuard: programs.buildGuard },
    secretNames,
    projects: tracing.projects,
    team: parts.team?.controlPlane,
  });
}
