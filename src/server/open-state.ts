import { RIGHTS } from '../contract/endpoint.ts';
import { CommitQueue } from './agent-server/data/commit-queue.ts';
import type { DataFolder } from './data-folder.ts';
import type { Grant } from './http/grant.ts';
import { Identity } from './identity/identity.ts';
import { ServerKeys } from './identity/server-keys.ts';
import type { Logger } from './logger.ts';
import type { ServerOptions } from './server-options.ts';
import { openStateDatabase, type StateDatabase } from './storage/state-database.ts';

/** The stores of `state.db` that a server has from its start, and the keys of the machine it is on. */
export interface ServerState {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly identity: Identity;
  /** The machine's own. */
  readonly organizationId: string;
  readonly workspaceId: string;
  /** The key of the machine's own clients. */
  readonly apiKey: string;
  /** The key that agents served from folders trace with; it reaches no further than their workspace. */
  readonly tracingKey: string;
}

/**
 * @param chosenKey the key of the machine's own clients, instead of the one that was made at the first start.
 * @throws DataFolderError
 */
export async function openState(
  {
    folder,
    version,
    database,
    databasePatienceMs: patienceMs,
    programs,
    logger,
  }: Pick<ServerOptions, 'folder' | 'version' | 'database' | 'databasePatienceMs' | 'logger'> & {
    programs: Pick<ServerOptions['programs'], 'heartbeat'>;
  },
  chosenKey?: string,
): Promise<ServerState> {
  const db =
    database === undefined
      ? await openStateDatabase(folder.dir, version)
      : await openTeamState(database, { heartbeat: programs.heartbeat, patienceMs, logger });
  const identity = new Identity(db);
  const { workspace, keys } = await db.inTurn(async () => {
    const workspace = await identity.findDefaultWorkspace();
    await refuseReplaced(identity, chosenKey, logger);
    const keys = db.isShared
      ? await makeKeys(new ServerKeys(db, identity), identity, { ...workspace, chosenKey })
      : await readLocalKeys(folder, identity, { ...workspace, chosenKey });
    return { workspace, keys };
  });
  await identity.setOwner(keys.apiKey, ownerPlace(db, chosenKey));
  if (db.isShared) void identity.followOthers();
  return { db, queue: new CommitQueue(db), identity, ...workspace, ...keys };
}

/** Where administrators find the owner's key. */
function ownerPlace({ isShared }: StateDatabase, chosenKey: string | undefined): string {
  if (chosenKey !== undefined)
    return `AGENT_HARBOR_API_KEY of ${isShared ? "the team's servers" : 'the server'}`;
  return isShared
    ? "AGENT_HARBOR_API_KEY of the team's servers; set it, since none has been given"
    : 'credentials.json in the data folder of the server (agent-harbor env prints it there)';
}

const OWN_KEY = 'This machine';
/** The key of a team's server that was given none: a server that is given one must not revoke it. */
const SERVER_KEY = 'A server';
const TRACING_KEY = 'Agents served from folders';
const OF_OWNER: Grant = { rights: RIGHTS };
/** Folders are opened by the owner, whose graphs may use the clients of datasets as well. */
const OF_FOLDERS: Grant = { rights: ['trace', 'run', 'read', 'write'] };

/** Loads what only a team's server needs. */
async function openTeamState(
  database: string,
  { heartbeat, patienceMs, logger }: { heartbeat: URL; patienceMs: number | undefined; logger: Logger },
): Promise<StateDatabase> {
  const [{ openPostgresState }, { warnOfConnections }] = await Promise.all([
    import('./team/postgres/postgres-state.ts'),
    import('./team/postgres/connection-room.ts'),
  ]);
  const db = await openPostgresState(database, heartbeat, { patienceMs });
  await warnOfConnections(db, logger);
  return db;
}

interface KeyOptions extends Pick<ServerState, 'organizationId' | 'workspaceId'> {
  readonly chosenKey: string | undefined;
}
type Keys = Pick<ServerState, 'apiKey' | 'tracingKey'>;

/** A key that was chosen takes the place of the one before, which opens nothing anymore. */
async function refuseReplaced(
  identity: Identity,
  chosenKey: string | undefined,
  logger: Logger,
): Promise<void> {
  if (chosenKey === undefined || (await identity.isKnown(chosenKey))) return;
  const revoked = await identity.revokeKeysNamed(OWN_KEY);
  // Wanted when a key is changed, and a mistake when machines were given different ones.
  if (revoked > 0)
    logger.warn('AGENT_HARBOR_API_KEY has changed: the key that was used before is refused from now on');
}

/** A server of a team has keys of its own as long as it is there, wherever its data folder comes from. */
async function makeKeys(
  serverKeys: ServerKeys,
  identity: Identity,
  { chosenKey, organizationId, workspaceId }: KeyOptions,
): Promise<Keys> {
  await serverKeys.deleteLeft();
  const make = (name: string, grant: Grant) => serverKeys.make({ organizationId, workspaceId, name, grant });
  if (chosenKey !== undefined && !(await identity.isKnown(chosenKey)))
    await identity.createKey({
      organizationId,
      workspaceIds: [workspaceId],
      name: OWN_KEY,
      grant: OF_OWNER,
      key: chosenKey,
    });
  return {
    apiKey: chosenKey ?? (await make(SERVER_KEY, OF_OWNER)),
    tracingKey: await make(TRACING_KEY, OF_FOLDERS),
  };
}

/** The keys are made at the first start and kept for the next. */
async function readLocalKeys(
  folder: DataFolder,
  identity: Identity,
  { chosenKey, organizationId, workspaceId }: KeyOptions,
): Promise<Keys> {
  const previous = await folder.readPreviousKeys();
  const create = (name: string, grant: Grant, key?: string) =>
    identity.createKey({ organizationId, workspaceIds: [workspaceId], name, grant, key });
  const known = async (key: string | undefined) =>
    key !== undefined && (await identity.isKnown(key)) ? key : undefined;
  const apiKey = (await known(chosenKey ?? previous.api_key)) ?? (await create(OWN_KEY, OF_OWNER, chosenKey));
  let tracingKey = await known(previous.tracing_key);
  if (tracingKey === undefined) {
    // The key before is lost: with its file, or because the folder was moved from a team, which has it.
    await identity.revokeKeysNamed(TRACING_KEY);
    tracingKey = await create(TRACING_KEY, OF_FOLDERS);
  }
  if (apiKey !== previous.api_key || tracingKey !== previous.tracing_key) {
    await folder.keepKeys({ api_key: apiKey, tracing_key: tracingKey });
  }
  return { apiKey, tracingKey };
}
