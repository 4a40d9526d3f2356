import { CommitQueue } from './agent-server/commit-queue.ts';
import type { DataFolder } from './data-folder.ts';
import { Identity } from './identity/identity.ts';
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
    programs,
    logger,
  }: Pick<ServerOptions, 'folder' | 'version' | 'database' | 'programs' | 'logger'>,
  chosenKey?: string,
): Promise<ServerState> {
  const db =
    database === undefined
      ? await openStateDatabase(folder.dir, version)
      : await openTeamState(database, programs.heartbeat);
  const identity = new Identity(db);
  const { workspace, keys } = await db.inTurn(async () => {
    const workspace = await identity.findDefaultWorkspace();
    return { workspace, keys: await readLocalKeys(folder, identity, { ...workspace, chosenKey, logger }) };
  });
  await identity.setOwner(keys.apiKey);
  if (db.isShared) void identity.followOthers();
  return { db, queue: new CommitQueue(db), identity, ...workspace, ...keys };
}

const OWN_KEY = 'This machine';

/** Loads what only a team's server needs. */
async function openTeamState(database: string, heartbeat: URL): Promise<StateDatabase> {
  const { openPostgresState } = await import('./storage/postgres/postgres-state.ts');
  return openPostgresState(database, heartbeat);
}

/** The keys are made at the first start and kept for the next. */
async function readLocalKeys(
  folder: DataFolder,
  identity: Identity,
  about: Pick<ServerState, 'organizationId' | 'workspaceId'> & {
    chosenKey: string | undefined;
    logger: Logger;
  },
): Promise<Pick<ServerState, 'apiKey' | 'tracingKey'>> {
  const { organizationId, workspaceId, chosenKey, logger } = about;
  const previous = await folder.readPreviousKeys();
  // A key that was chosen instead opens nothing anymore.
  if (chosenKey !== undefined && !(await identity.isKnown(chosenKey))) {
    const revoked = await identity.revokeKeysNamed(OWN_KEY);
    // Wanted when a key is changed, and a mistake when machines were given different ones.
    if (revoked > 0)
      logger.warn('AGENT_HARBOR_API_KEY has changed: the key that was used before is refused from now on');
  }
  const known = async (key: string | undefined, name: string, chosen?: string) =>
    key !== undefined && (await identity.isKnown(key))
      ? key
      : identity.createKey({ organizationId, workspaceIds: [workspaceId], name, key: chosen });
  const apiKey = await known(chosenKey ?? previous.api_key, OWN_KEY, chosenKey);
  const tracingKey = await known(previous.tracing_key, 'Agents served from folders');
  if (apiKey !== previous.api_key || tracingKey !== previous.tracing_key) {
    await folder.keepKeys({ api_key: apiKey, tracing_key: tracingKey });
  }
  return { apiKey, tracingKey };
}
