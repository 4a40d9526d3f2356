import { v7 as uuidv7 } from 'uuid';
import type { AgentConnection } from '../../../contract/control-plane/agent-connections.ts';
import { HttpError } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { scopesOf, type TokenRow, type TokenStore } from './token-store.ts';

interface NewConnection {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly tokenId: string;
  /** The ID of the user who connects the agent. */
  readonly createdBy: string;
}

/** Connections: each allows an agent to use a token, whoever the token's user is. */
export class AgentConnections {
  readonly #db: StateDatabase;
  readonly #tokens: TokenStore;

  constructor(db: StateDatabase, tokens: TokenStore) {
    this.#db = db;
    this.#tokens = tokens;
  }

  async list(workspaceId: string, agentId: string): Promise<AgentConnection[]> {
    const rows = await this.#db
      .selectFrom('agent_connections')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('agent_id', '=', agentId)
      .orderBy('created_at')
      .execute();
    const found: AgentConnection[] = [];
    for (const row of rows) {
      const token = await this.#tokens.find(workspaceId, row.oauth_token_id);
      // A token that was deleted in the meantime had its connections deleted, too.
      if (token !== undefined) found.push(toConnection(row, token));
    }
    return found;
  }

  /** The tokens of a provider that an agent may use, the latest connection first. */
  async listTokens(workspaceId: string, agentId: string, providerId: string): Promise<TokenRow[]> {
    const rows = await this.#db
      .selectFrom('agent_connections')
      .innerJoin('oauth_tokens', 'oauth_tokens.id', 'agent_connections.oauth_token_id')
      .selectAll('oauth_tokens')
      .where('agent_connections.workspace_id', '=', workspaceId)
      .where('agent_connections.agent_id', '=', agentId)
      .where('oauth_tokens.provider_id', '=', providerId)
      .orderBy('agent_connections.created_at', 'desc')
      .execute();
    return rows;
  }

  /** Connects an agent to a token, or finds the existing connection. @throws HttpError 404 for an unknown token. */
  async create({ workspaceId, agentId, tokenId, createdBy }: NewConnection): Promise<AgentConnection> {
    const token = await this.#tokens.require(workspaceId, tokenId);
    await this.#db
      .insertInto('agent_connections')
      .values({
        id: uuidv7(),
        workspace_id: workspaceId,
        agent_id: agentId,
        oauth_token_id: tokenId,
        created_by: createdBy,
        created_at: new Date().toISOString(),
      })
      .onConflict((on) => on.columns(['workspace_id', 'agent_id', 'oauth_token_id']).doNothing())
      .execute();
    const row = await this.#db
      .selectFrom('agent_connections')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('agent_id', '=', agentId)
      .where('oauth_token_id', '=', tokenId)
      .executeTakeFirstOrThrow();
    return toConnection(row, token);
  }

  /** @throws HttpError 404 */
  async delete(workspaceId: string, agentId: string, id: string): Promise<void> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('agent_connections')
      .where('workspace_id', '=', workspaceId)
      .where('agent_id', '=', agentId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new HttpError(404, `Connection ID ${id} not found.`);
  }
}

function toConnection(
  row: { id: string; agent_id: string; created_by: string; created_at: string },
  token: TokenRow,
): AgentConnection {
  return {
    id: row.id,
    agent_id: row.agent_id,
    oauth_token_id: token.id,
    provider_id: token.provider_id,
    provider_account_label: token.provider_account_label,
    scopes: scopesOf(token),
    expires_at: token.expires_at,
    created_by: row.created_by,
    created_at: row.created_at,
  };
}
