import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type {
  AuthenticateAnswer,
  AuthenticateRequest,
  WaitAnswer,
} from '../../../contract/control-plane/oauth-flows.ts';
import { messageOf } from '../../../process/message-of.ts';
import type { Caller } from '../../http/caller.ts';
import { badRequest, forbidden, HttpError } from '../../http/errors.ts';
import type { Bus } from '../../storage/bus.ts';
import type { AgentConnections } from './agent-connections.ts';
import type { FlowRow, FlowStore } from './flow-store.ts';
import { type OAuthClient, ProviderUnavailableError } from './oauth-client.ts';
import type { ProviderRow, ProviderStore } from './provider-store.ts';
import type { TokenRefresh } from './token-refresh.ts';
import { scopesOf, type TokenRow, type TokenStore } from './token-store.ts';

export interface SignInsOptions {
  readonly providers: ProviderStore;
  readonly tokens: TokenStore;
  readonly flows: FlowStore;
  readonly client: OAuthClient;
  readonly refresh: TokenRefresh;
  readonly connections: AgentConnections;
  readonly bus: Bus;
  /** The platform's address for clients. */
  baseUrl(): string;
}

/** The parameters of a provider's redirect. */
export interface Redirect {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
  readonly error_description?: string | undefined;
}

/** Gives graphs the tokens of users, and signs users in to get tokens (docs/interface/control-plane.md#oauth). */
export class SignIns {
  readonly #options: SignInsOptions;

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** The address to which a provider redirects after the user's consent. */
  redirectUri(providerId: string): string {
    return `${this.#options.baseUrl()}/host-oauth-callback/${encodeURIComponent(providerId)}`;
  }

  /**
   * Returns a stored token (`completed`), or starts a sign-in (`pending`). If the user has a suitable token
   * that the agent may not use yet, nothing is started (`connection_required`). A token that the request
   * names may have expired (`token_expired`).
   * @throws HttpError 404 for an unknown provider or token; 502 or 503 if a token could not be refreshed, and no
   * other is valid.
   */
  async authenticate(caller: Caller, request: AuthenticateRequest): Promise<AuthenticateAnswer> {
    const { providers, tokens, connections } = this.#options;
    const provider = await providers.require(caller.organizationId, request.provider);
    const userId = userOf(caller, request);
    const own = await tokens.list(caller.workspaceId, userId, provider.provider_id);
    if (request.token_id) {
      const wanted = own.find(({ id }) => id === request.token_id);
      if (wanted === undefined) throw new HttpError(404, `OAuth token ID ${request.token_id} not found.`);
      const { valid, failure } = await this.#findValid(provider, [wanted]);
      if (failure !== undefined) throw failure;
      return valid === undefined
        ? { status: 'token_expired', user_id: userId }
        : this.#tokenAnswer(valid, userId);
    }
    if (!request.force_new) {
      const usable = request.agent_id
        ? await connections.listTokens(caller.workspaceId, request.agent_id, provider.provider_id)
        : own;
      const suitable = usable.filter((row) => covers(row, request.scopes));
      const found = await this.#findValid(provider, suitable);
      if (found.valid !== undefined) return this.#tokenAnswer(found.valid, userId);
      // The user need not give an agent another account only because the provider does not answer now.
      if (found.failure !== undefined && isTransient(found.failure)) throw found.failure;
      // If the user has a suitable token, the agent only has to be connected to it.
      const connected = new Set(usable.map(({ id }) => id));
      const others = own.filter((row) => !connected.has(row.id) && covers(row, request.scopes));
      const other = await this.#findValid(provider, others);
      if (other.valid !== undefined) {
        return { status: 'connection_required', user_id: userId, metadata: { token_id: other.valid.id } };
      }
      // Nor need the user consent again.
      const failure = found.failure ?? other.failure;
      if (failure !== undefined) throw failure;
    }
    return this.#begin(caller, provider, userId, request);
  }

  /**
   * Waits for the end of a sign-in. With a timeout of 0, returns its current status. A sign-in that has
   * failed is `not_found`, with its error.
   */
  async wait(caller: Caller, id: string, timeoutMs: number, signal: AbortSignal): Promise<WaitAnswer> {
    const { flows, bus } = this.#options;
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const ended = bus.next(`sign-in:${id}`, until);
    let flow = await flows.find(caller.workspaceId, id);
    if (flow?.status === 'pending' && timeoutMs > 0) {
      await ended;
      flow = await flows.find(caller.workspaceId, id);
    }
    if (flow === undefined) return { status: 'not_found' };
    if (flow.status === 'failed') return { status: 'not_found', error: flow.error };
    if (flow.status === 'pending') return { status: timeoutMs > 0 ? 'timeout' : 'pending' };
    const token = await this.#findToken(flow);
    return token === undefined ? { status: 'not_found' } : { status: 'completed', token };
  }

  /**
   * Ends a sign-in with the parameters of a provider's redirect. The state identifies the sign-in and
   * authenticates the request: it is random, and valid once for a limited time.
   * @param caller the API caller, unless the user's browser sends the request; must be of the same workspace.
   * @throws HttpError 400 for an unknown, used or expired state, or a refused consent; 403 for a caller of
   * another workspace.
   */
  async finish(
    providerId: string,
    redirect: Redirect,
    caller?: Caller,
  ): Promise<{ provider: ProviderRow; flow: FlowRow }> {
    const { flows, providers } = this.#options;
    const flow = redirect.state === undefined ? undefined : await flows.take(redirect.state);
    if (flow === undefined)
      throw badRequest('This sign-in is unknown, was already used, or has expired. Start again.');
    const provider = await providers.require(flow.organization_id, flow.provider_id);
    try {
      if (caller !== undefined && caller.workspaceId !== flow.workspace_id) {
        throw forbidden('This sign-in was started in another workspace. Start again.');
      }
      if (provider.provider_id !== providerId && provider.id !== providerId) {
        throw badRequest('This sign-in was started with another provider.');
      }
      const token = await this.#exchange(provider, flow, redirect);
      await flows.finish(flow.id, { status: 'completed', tokenId: token.id });
    } catch (error) {
      const reason = messageOf(error);
      await flows.finish(flow.id, { status: 'failed', error: reason });
      throw error instanceof HttpError ? error : badRequest(reason);
    } finally {
      this.#options.bus.hint(`sign-in:${flow.id}`);
    }
    return { provider, flow };
  }

  async #exchange(provider: ProviderRow, flow: FlowRow, redirect: Redirect): Promise<TokenRow> {
    const { client, flows, tokens, connections } = this.#options;
    if (redirect.error !== undefined || redirect.code === undefined) {
      const why = redirect.error_description ?? redirect.error ?? 'it returned no code';
      throw badRequest(`The provider did not sign you in: ${why.trim().replace(/\.$/, '')}.`);
    }
    const grant = await client.exchange(provider, {
      code: redirect.code,
      redirectUri: flow.redirect_uri,
      verifier: flows.openVerifier(flow),
    });
    const owner = {
      organizationId: flow.organization_id,
      workspaceId: flow.workspace_id,
      userId: flow.user_id,
      providerId: flow.provider_id,
    };
    const scopes = z.array(z.string()).parse(JSON.parse(flow.scopes));
    const token = await tokens.insert(owner, grant, { scopes, isDefault: flow.is_default === 1 });
    // Consent that is given in an agent's sign-in also connects the agent.
    if (flow.agent_id !== null) {
      await connections.create({
        workspaceId: flow.workspace_id,
        agentId: flow.agent_id,
        tokenId: token.id,
        createdBy: flow.user_id,
      });
    }
    return token;
  }

  /** Starts a sign-in. @returns the URL where the user consents. */
  async #begin(
    caller: Caller,
    provider: ProviderRow,
    userId: string,
    request: AuthenticateRequest,
  ): Promise<AuthenticateAnswer> {
    const { client, flows } = this.#options;
    const state = oauth.generateRandomState();
    const redirectUri = this.redirectUri(provider.provider_id);
    const { scopes } = request;
    const { url, verifier } = await client.begin(provider, { state, redirectUri, scopes });
    const flow = await flows.insert({
      organizationId: caller.organizationId,
      workspaceId: caller.workspaceId,
      userId,
      providerId: provider.provider_id,
      agentId: request.agent_id ?? undefined,
      state,
      scopes,
      verifier,
      redirectUri,
      isDefault: request.is_default,
    });
    return { status: 'pending', url, auth_id: flow.id, user_id: userId };
  }

  /**
   * Finds the first of these tokens that is valid, after refreshing it if necessary. If the provider does not answer, it is
   * not asked again, because each attempt may take until its timeout.
   * @returns none if all have expired, with the first failure to refresh one.
   */
  async #findValid(
    provider: ProviderRow,
    known: readonly TokenRow[],
  ): Promise<{ valid?: TokenRow; failure?: HttpError | undefined }> {
    let failure: HttpError | undefined;
    for (const each of known) {
      if (failure instanceof ProviderUnavailableError && this.#options.refresh.needsProvider(each)) continue;
      try {
        const valid = await this.#options.refresh.get(provider, each);
        if (valid !== undefined) return { valid };
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        failure ??= error;
      }
    }
    return { failure };
  }

  /** The response with a valid token. */
  #tokenAnswer(row: TokenRow, userId: string): AuthenticateAnswer {
    const token = this.#options.tokens.values(row).accessToken;
    const metadata = {
      token_id: row.id,
      provider_account_label: row.provider_account_label,
      scopes: scopesOf(row),
      expires_at: row.expires_at,
    };
    return { status: 'completed', token, user_id: userId, metadata };
  }

  /** The token of a completed sign-in; undefined if it was deleted, or has expired and cannot be refreshed. */
  async #findToken(flow: FlowRow): Promise<string | undefined> {
    const { tokens, providers, refresh } = this.#options;
    const known = flow.token_id === null ? undefined : await tokens.find(flow.workspace_id, flow.token_id);
    if (known === undefined) return undefined;
    const provider = await providers.require(flow.organization_id, flow.provider_id);
    const row = await refresh.get(provider, known);
    return row === undefined ? undefined : tokens.values(row).accessToken;
  }
}

/** The ID of the user whose tokens a request means: the given user, otherwise the workspace as a whole. */
export function userOf(
  caller: Caller,
  named: { user_id?: string | null | undefined; ls_user_id?: string | null | undefined },
): string {
  return named.user_id ?? named.ls_user_id ?? `workspace:${caller.workspaceId}`;
}

/** Whether a token may be refreshed later: the provider does not answer now, or another server is refreshing it. */
function isTransient(failure: HttpError): boolean {
  return failure instanceof ProviderUnavailableError || failure.status === 503;
}

/** Whether a token has all of these scopes. */
function covers(row: TokenRow, scopes: readonly string[]): boolean {
  const granted = new Set(scopesOf(row));
  return scopes.every((scope) => granted.has(scope));
}
