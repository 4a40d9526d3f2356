import { CommitQueue } from './agent-server/commit-queue.ts';
import type { DataFolder } from './data-folder.ts';
import { Identity } from './identity/identity.ts';
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

/** @throws DataFolderError */
export async function openState(folder: DataFolder, version: string): Promise<ServerState> {
  const db = await openStateDatabase(folder.dir, version);
  const identity = new Identity(db);
  const workspace = await identity.defaultWorkspace();
  const keys = await localKeys(folder, identity, workspace);
  await identity.setOwner(keys.apiKey);
  return { db, queue: new CommitQueue(db), identity, ...workspace, ...keys };
}

/** The keys are made at the first start and kept for the next. */
async function localKeys(
  folder: DataFolder,
  identity: Identity,
  { organizationId, workspaceId }: Pick<ServerState, 'organizationId' | 'workspaceId'>,
): Promise<Pick<ServerState, 'apiKey' | 'tracingKey'>> {
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
