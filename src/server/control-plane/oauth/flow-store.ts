import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { OAuthFlowTable } from '../../storage/control-plane-schema.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { TokenOwner } from './token-store.ts';

export type FlowRow = Selectable<OAuthFlowTable>;

/** How long a user may take to give consent. */
const VALID_MS = 15 * 60_000;
/** How long the outcome of a sign-in is kept. */
const KEPT_MS = 24 * 60 * 60_000;

interface NewFlow extends TokenOwner {
  /** The agent to connect to the token. */
  readonly agentId: string | undefined;
  /** The random text that the provider's redirect repeats. */
  readonly state: string;
  readonly scopes: readonly string[];
  /** The PKCE verifier. */
  readonly verifier: string | undefined;
  readonly redirectUri: string;
  /** Whether the token becomes the user's default. */
  readonly isDefault: boolean;
}

/** Stores sign-ins. A state is stored as a hash and accepted once; the PKCE verifier is encrypted. */
export class FlowStore {
  readonly #db: StateDatabase;
  readonly #box: SecretBox;

  constructor(db: StateDatabase, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  /** Stores a sign-in, and deletes old ones. */
  async insert(flow: NewFlow): Promise<FlowRow> {
    const id = uuidv7();
    const now = Date.now();
    await this.#db
      .deleteFrom('oauth_flows')
      .where('created_at', '<', new Date(now - KEPT_MS).toISOString())
      .execute();
    const row: FlowRow = {
      id,
      organization_id: flow.organizationId,
      workspace_id: flow.workspaceId,
      provider_id: flow.providerId,
      user_id: flow.userId,
      agent_id: flow.agentId ?? null,
      state_hash: hashOf(flow.state),
      scopes: JSON.stringify(flow.scopes),
      sealed_verifier:
        flow.verifier === undefined ? null : this.#box.seal(flow.verifier, associatedData.oauthVerifier(id)),
      redirect_uri: flow.redirectUri,
      is_default: flow.isDefault ? 1 : 0,
      status: 'pending',
      error: null,
      token_id: null,
      expires_at: new Date(now + VALID_MS).toISOString(),
      created_at: new Date(now).toISOString(),
    };
    await this.#db.insertInto('oauth_flows').values(row).execute();
    return row;
  }

  find(workspaceId: string, id: string): Promise<FlowRow | undefined> {
    return this.#db
      .selectFrom('oauth_flows')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /**
   * Finds the pending sign-in of a state. The state cannot be used again.
   * @returns undefined for a state that is unknown, used or expired.
   */
  async take(state: string): Promise<FlowRow | undefined> {
    const row = await this.#db
      .selectFrom('oauth_flows')
      .selectAll()
      .where('state_hash', '=', hashOf(state))
      .where('status', '=', 'pending')
      .where('expires_at', '>', new Date().toISOString())
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { numUpdatedRows } = await this.#db
      .updateTable('oauth_flows')
      .set({ state_hash: `used ${row.id}` })
      .where('id', '=', row.id)
      .where('state_hash', '=', row.state_hash)
      .executeTakeFirst();
    return numUpdatedRows === 1n ? row : undefined;
  }

  /** Stores the outcome of a sign-in, and deletes its PKCE verifier. */
  async finish(
    id: string,
    outcome: { status: 'completed'; tokenId: string } | { status: 'failed'; error: string },
  ): Promise<void> {
    await this.#db
      .updateTable('oauth_flows')
      .set({
        status: outcome.status,
        token_id: outcome.status === 'completed' ? outcome.tokenId : null,
        error: outcome.status === 'failed' ? outcome.error : null,
        sealed_verifier: null,
      })
      .where('id', '=', id)
      .execute();
  }

  /** Decrypts the PKCE verifier of a sign-in; undefined if it has none. @throws SecretBoxError */
  openVerifier({ id, sealed_verifier: sealed }: FlowRow): string | undefined {
    return sealed === null ? undefined : this.#box.open(sealed, associatedData.oauthVerifier(id));
  }
}

function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
