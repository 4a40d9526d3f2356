import type { DataFolder } from './data-folder.ts';
import type { FolderRow, FolderStore } from './folders/folder-store.ts';
import {
  FOLDER_GRANT,
  type Home,
  type NamedImageAgent,
  OWN_KEY,
  OWNER_GRANT,
  type OwnKeyOptions,
  type OwnKeys,
  TRACING_KEY,
} from './home.ts';
import type { Grant } from './http/grant.ts';
import type { Identity } from './identity/identity.ts';
import type { StateDatabase } from './storage/state-database.ts';

/** The home of a server without a team: its data folder. */
export class LocalHome implements Home {
  readonly db: StateDatabase;
  readonly portSetting = 'platform.port';
  readonly others = undefined;
  readonly agentTeam = undefined;
  readonly hasDeployments = true;
  readonly #folder: DataFolder;

  constructor(db: StateDatabase, folder: DataFolder) {
    this.db = db;
    this.#folder = folder;
  }

  /** Finds the keys, or creates them at the first start. */
  async openKeys(
    identity: Identity,
    { chosenKey, organizationId, workspaceId }: OwnKeyOptions,
  ): Promise<OwnKeys> {
    const previous = await this.#folder.readPreviousKeys();
    const create = (name: string, grant: Grant, key?: string) =>
      identity.createKey({ organizationId, workspaceIds: [workspaceId], name, grant, key });
    const known = async (key: string | undefined) =>
      key !== undefined && (await identity.isKnown(key)) ? key : undefined;
    const apiKey =
      (await known(chosenKey ?? previous.api_key)) ?? (await create(OWN_KEY, OWNER_GRANT, chosenKey));
    let tracingKey = await known(previous.tracing_key);
    if (tracingKey === undefined) {
      // This is the first start, or the key has been lost: its file was deleted, or the folder was moved from
      // a team, which keeps the key.
      await identity.revokeKeys({ names: [TRACING_KEY] });
      tracingKey = await create(TRACING_KEY, FOLDER_GRANT);
    }
    if (apiKey !== previous.api_key || tracingKey !== previous.tracing_key) {
      await this.#folder.keepKeys({ api_key: apiKey, tracing_key: tracingKey });
    }
    return { apiKey, tracingKey };
  }

  followOthers(): void {}

  ownerPlace(chosenKey: string | undefined): string {
    return chosenKey === undefined
      ? 'credentials.json in the data folder of the server (agent-harbor env prints it there)'
      : 'AGENT_HARBOR_API_KEY of the server';
  }

  checkSourceKind(): void {}

  findAgent(store: FolderStore, { workspaceId, configPath }: NamedImageAgent): Promise<FolderRow> {
    return store.findOrInsert(workspaceId, configPath);
  }

  leave(): Promise<void> {
    return Promise.resolve();
  }

  watchRoles(): Promise<() => void> {
    return Promise.resolve(() => {});
  }
}
