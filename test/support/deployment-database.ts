import type { AssistantRow } from '../../src/server/agent-server/data/assistant-store.ts';
import { Identity } from '../../src/server/identity/identity.ts';
import { openStateDatabase } from '../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../src/server/storage/state-database.ts';
import { openTeamState } from './team-state.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const DEPLOYMENT = 'd';
export const PAST = '2000-01-01T00:00:00.000Z';

interface Place {
  /** The URL of an empty database, for one that is not in SQLite. */
  readonly postgres?: string | undefined;
  /** An empty folder, for a database in SQLite that others open later. */
  readonly dataDir?: string;
}

/**
 * Adds a deployment to an empty state database, without a server: `await using made = await deploymentDatabase()`.
 */
export async function deploymentDatabase({
  postgres,
  dataDir,
}: Place = {}): Promise<{ readonly db: StateDatabase } & AsyncDisposable> {
  const folder = await temporaryFolder();
  const db =
    postgres === undefined ? await openStateDatabase(dataDir ?? folder.path) : await openTeamState(postgres);
  const { workspaceId } = await new Identity(db).findDefaultWorkspace();
  await db
    .insertInto('deployments')
    .values({
      id: DEPLOYMENT,
      workspace_id: workspaceId,
      name: 'test',
      source: 'workspace',
      source_config: '{}',
      source_revision_config: '{}',
      status: 'READY',
      latest_revision_id: null,
      active_revision_id: null,
      port: null,
      config_path: null,
      created_at: PAST,
      updated_at: PAST,
    })
    .execute();
  return {
    db,
    [Symbol.asyncDispose]: async () => {
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The row of an assistant with the name of its graph. */
export const assistantRow = (graph: string): AssistantRow => ({
  assistant_id: graph,
  deployment_id: DEPLOYMENT,
  version: 1,
  graph_id: graph,
  name: graph,
  description: null,
  config: '{}',
  context: '{}',
  metadata: '{}',
  created_at: PAST,
  updated_at: PAST,
});
