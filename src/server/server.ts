import { once } from 'node:events';
import { debugging as debuggingEndpoints } from '../contract/debugging.ts';
import { evaluators as evaluatorEndpoints } from '../contract/evaluators.ts';
import { HARBOR_PROTOCOL, harbor as harborEndpoints } from '../contract/harbor.ts';
import { platform as platformEndpoints } from '../contract/platform.ts';
import { ignoreRejection, settled } from '../process/settled.ts';
import { openFolderBox, settleNextKey } from './control-plane/secrets/folder-key.ts';
import { isRecordedKey } from './control-plane/secrets/key-check.ts';
import type { SecretBox } from './control-plane/secrets/secret-box.ts';
import type { DataFolder } from './data-folder.ts';
import { debugHandlers } from './folders/debug-handlers.ts';
import { evaluatorHandlers } from './folders/evaluator-handlers.ts';
import { type HarborOptions, harborHandlers } from './harbor-handlers.ts';
import type { Caller } from './http/caller.ts';
import { LazyAreas } from './lazy-areas.ts';
import { makeServing, type Serving } from './make-serving.ts';
import { openPlatform, type Platform } from './open-platform.ts';
import { openState, type ServerState } from './open-state.ts';
import { openTeam } from './open-team.ts';
import { platformHandlers } from './platform-handlers.ts';
import { serveImageAgent } from './serve-image-agent.ts';
import type { ServerOptions } from './server-options.ts';

/** The encryption of secrets. */
interface Secrets {
  readonly box: SecretBox;
  /** Stops following changes of the key. */
  close(): void;
}

/** The secrets keys of a server that serves only an agent, and stores no secrets in its team's database. */
const NO_KEYS = { reads: [], writes: null };

interface ServerParts {
  readonly folder: DataFolder;
  readonly state: ServerState;
  readonly platform: Platform;
  readonly serving: Serving;
  readonly areas: LazyAreas;
  readonly secrets: Secrets;
  /** Stops the warnings about roles that no server has. */
  readonly stopWatching: () => void;
}

/** A server, without the process around it: the platform of a data folder or of a team. */
export class Server {
  readonly #parts: ServerParts;
  /**
   * Resolves when the server has to end: with undefined when it was asked to or is no longer needed; with an error when its
   * data folder no longer exists, another server may be using its database, or the areas could not be opened.
   */
  readonly ended: Promise<unknown>;

  private constructor(parts: ServerParts, ended: Promise<unknown>) {
    this.#parts = parts;
    this.ended = ended;
  }

  /** The platform's address. */
  get baseUrl(): string {
    return this.#parts.platform.origin.url;
  }

  /** The key for clients on this machine. */
  get apiKey(): string {
    return this.#parts.state.apiKey;
  }

  /** Starts a server. @throws PortTakenError for an explicit port, DataFolderError, RollOutError for the agent of an image. */
  static async start(options: ServerOptions): Promise<Server> {
    const { folder, logger, version } = options;
    const startedAt = new Date().toISOString();
    const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
    const state = await openState(options, options.team ?? options.imageAgent);
    void state.db.lost.then(end);
    const platform = await openPlatform(options, state);
    const team = options.team && (await openTeam(options.team, state));
    const serving = makeServing(options, { state, platform, team, onUnused: () => end(undefined) });
    const first = await openFirstFolder(options, state, serving);
    void serving.pauses.follow();
    if (options.imageAgent !== undefined)
      await serveImageAgent(options.imageAgent, { state, serving, logger });
    const secrets = await openSecretBox(options, state).catch(async (error: unknown) => {
      // Unless the database is closed, other servers count this one as running until its heartbeats are
      // overdue.
      await settled(state.db.destroy());
      throw error;
    });
    // The thread for traces starts while the rest is loaded. A damaged database is found before the server is announced.
    const tracesChecked = serving.tracing.open();
    ignoreRejection(tracesChecked);
    const shutDown = () => end(undefined);
    mountMachine(platform, serving, state, { version, dataDir: folder.dir, startedAt, shutDown });
    const areas = new LazyAreas(options, { state, platform, serving, team, box: secrets.box, tracesChecked });
    // With a first folder, callers of its graphs do not wait for the areas.
    if (first === undefined) await areas.open();
    else areas.openLater(first.loaded).catch(end);
    await tracesChecked;
    const stopWatching = await state.home.watchRoles();
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
    void serving.memory.after(undefined);
    logger.info(
      { base_url: platform.origin.url, data_dir: folder.dir, node: process.versions.node },
      'ready',
    );
    return new Server({ folder, state, platform, serving, areas, secrets, stopWatching }, ended);
  }

  /**
   * Leaves work to the other servers of the database, if there are any, and is no longer ready for requests.
   * @param timeoutMs how long to wait for supersteps and responses.
   */
  async drain(timeoutMs: number): Promise<void> {
    const { state, platform } = this.#parts;
    platform.availability.setEnding();
    if (timeoutMs === 0) return;
    await state.home.leave(() => this.#leave(timeoutMs));
  }

  async #leave(timeoutMs: number): Promise<void> {
    const { state, serving, areas } = this.#parts;
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    void state.db.lost.then(() => over.abort());
    const leave = async () => {
      areas.opened?.controlPlane.leave();
      await state.db.drain();
      await serving.agents.drainAll(over.signal);
      await areas.opened?.frontDoor?.waitForAnswers(over.signal);
    };
    // The race ends on time even if the database does not respond.
    await Promise.race([leave(), once(over.signal, 'abort')]);
    clearTimeout(timer);
  }

  /** Stops in order: new requests, runtimes, pending writes, databases, lock. */
  async stop(): Promise<void> {
    const { folder, state, platform, serving, secrets, stopWatching } = this.#parts;
    state.db.stopWaiting();
    stopWatching();
    secrets.close();
    serving.presence.close();
    serving.pauses.close();
    state.identity.close();
    await folder.withdraw();
    const areas = await this.#parts.areas.end();
    await areas?.controlPlane.close();
    await serving.agents.stopAll();
    await areas?.controlPlane.flushLogs();
    await areas?.frontDoor?.close();
    await serving.receiver.end();
    await platform.origin.close();
    await state.queue.waitUntilSettled();
    await serving.tracing.close();
    await state.db.destroy();
    folder.close();
  }
}

/**
 * Opens the first folder. If that fails, the next client to open the folder tries again, and gets the error.
 * @returns a promise that resolves once its graphs have loaded or failed to; undefined without a folder that could be
 * opened.
 */
async function openFirstFolder(
  { firstFolder, headStart, logger }: ServerOptions,
  { organizationId, workspaceId }: ServerState,
  { folders, presence }: Serving,
): Promise<{ readonly loaded: Promise<void> } | undefined> {
  if (firstFolder === undefined) return undefined;
  const { holder } = firstFolder;
  // The holder counts as present from now on; one that never connects is forgotten after a while.
  if (holder !== undefined) presence.enter({ holder })();
  const caller: Caller = { organizationId, workspaceId, by: { kind: 'loopback' } };
  try {
    const { deployment_id } = await folders.open(caller, firstFolder);
    return { loaded: folders.whenLoaded(caller, deployment_id) };
  } catch (error) {
    headStart?.end();
    logger.warn({ err: error }, 'could not open the first folder');
    return undefined;
  }
}

/** Opens the encryption of secrets. @throws DataFolderError when the key is damaged, or the team has another key. */
async function openSecretBox(
  { folder, team, database }: ServerOptions,
  { db }: ServerState,
): Promise<Secrets> {
  if (team !== undefined) {
    const { FollowedBox } = await import('./team/shared-box.ts');
    return FollowedBox.open(team, db);
  }
  if (database === undefined)
    await settleNextKey(folder.dir, async (box) => (await isRecordedKey(db, box)) === true);
  else await (await import('./team/secrets-key-notes.ts')).storeKeyNote(db, db.node, NO_KEYS);
  return { box: await openFolderBox(folder.dir), close: () => {} };
}

/** Mounts the endpoints for clients on the server's own machine, and those about the whole server. */
function mountMachine(
  { router, origin, availability }: Platform,
  serving: Serving,
  state: ServerState,
  server: Pick<HarborOptions, 'version' | 'dataDir' | 'startedAt' | 'shutDown'>,
): void {
  const { folders } = serving;
  router
    .mount(platformEndpoints, platformHandlers(router, { ...state, ...serving, availability }))
    .mount(harborEndpoints, harborHandlers({ ...server, ...serving, baseUrl: origin.url }))
    .mount(debuggingEndpoints, debugHandlers(folders))
    .mount(evaluatorEndpoints, evaluatorHandlers(folders));
}
