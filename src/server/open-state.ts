import { CommitQueue } from './agent-server/data/commit-queue.ts';
import type { Home, OwnKeys } from './home.ts';
import { Identity } from './identity/identity.ts';
import { LocalHome } from './local-home.ts';
import { Meters } from './meters.ts';
import { type GivenOwnerKeys, settleOwnerKeys } from './owner-keys.ts';
import type { ServerOptions } from './server-options.ts';
import { openStateDatabase } from './storage/sqlite-state.ts';
import type { StateDatabase } from './storage/state-database.ts';

/** The state that a server has from its start, and the keys of its machine. */
export interface ServerState extends OwnKeys {
  readonly home: Home;
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly meters: Meters;
  readonly identity: Identity;
  /** The organization of the machine. */
  readonly organizationId: string;
  readonly workspaceId: string;
}

type HomeOptions = Pick<
  ServerOptions,
  'folder' | 'version' | 'database' | 'databasePatienceMs' | 'logger' | 'roles' | 'imageAgent' | 'team'
> & { readonly programs: Pick<ServerOptions['programs'], 'heartbeat'> };

/**
 * Opens the database, and finds or creates the keys of the machine.
 * @param given the owner's keys that the server was given; without them, it uses a key of its own.
 * @throws DataFolderError
 */
export async function openState(
  options: HomeOptions,
  given: GivenOwnerKeys = { apiKey: undefined, previousApiKey: undefined },
): Promise<ServerState> {
  const meters = new Meters();
  const home = await openHome(options, meters);
  const { db } = home;
  const identity = new Identity(db);
  const { workspace, keys } = await db.inTurn(async () => {
    const workspace = await identity.findDefaultWorkspace();
    await settleOwnerKeys({ db, identity, ...workspace }, given, options.logger);
    return { workspace, keys: await home.openKeys(identity, { ...workspace, chosenKey: given.apiKey }) };
  });
  const { previousApiKey } = given;
  const owners = [keys.apiKey, ...(previousApiKey === undefined ? [] : [previousApiKey])];
  await identity.setOwner(owners, home.ownerPlace(given.apiKey));
  home.followOthers(identity);
  return { home, db, queue: new CommitQueue(db, meters), meters, identity, ...workspace, ...keys };
}

/** Opens the state in the data folder, or in the database of a team. @throws DataFolderError */
async function openHome(
  {
    folder,
    version,
    database,
    databasePatienceMs: patienceMs,
    programs: { heartbeat },
    roles,
    imageAgent,
    team,
    logger,
  }: HomeOptions,
  meters: Meters,
): Promise<Home> {
  if (database === undefined) return new LocalHome(await openStateDatabase(folder.dir, version), folder);
  const { TeamHome } = await import('./team/team-home.ts');
  return TeamHome.open({
    database,
    heartbeat,
    patienceMs,
    roles,
    hasPlatform: team !== undefined,
    agent: imageAgent?.name,
    meters,
    logger,
  });
}
