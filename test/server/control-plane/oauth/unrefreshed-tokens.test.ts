import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { AuthenticateRequest } from '../../../../src/contract/control-plane/oauth-flows.ts';
import { OAuthProviderCreate } from '../../../../src/contract/control-plane/oauth-providers.ts';
import { makeOAuth } from '../../../../src/server/control-plane/oauth/make-oauth.ts';
import { SecretBox } from '../../../../src/server/control-plane/secrets/secret-box.ts';
import { Identity } from '../../../../src/server/identity/identity.ts';
import { deploymentDatabase } from '../../../support/deployment-database.ts';
import { type HttpPeer, httpPeer, json } from '../../../support/http-peer.ts';

describe('a token that its provider no longer refreshes', () => {
  let idp: HttpPeer;
  let isDown = false;
  /** Whether refusals have the status 200, as those of GitHub do. */
  let refusesWith200 = false;
  /** The status and error code of a provider that limits requests. */
  let limit: readonly [status: number, error: string] | undefined;
  before(async () => {
    idp = await httpPeer((_, response) => {
      if (limit !== undefined) json(response, limit[0], { error: limit[1] });
      else if (isDown) json(response, 503, { error: 'down for maintenance' });
      else if (refusesWith200) json(response, 200, { error: 'bad_refresh_token' });
      else json(response, 400, { error: 'invalid_grant' });
    });
  });
  afterEach(() => {
    isDown = false;
    refusesWith200 = false;
    limit = undefined;
  });
  after(() => idp[Symbol.asyncDispose]());

  /** A user's token, and what authenticates the user. @param leftMs how long the token is still valid. */
  async function withToken(leftMs: number) {
    const made = await deploymentDatabase();
    const { db } = made;
    const box = SecretBox.ofKey(randomBytes(SecretBox.KEY_BYTES));
    const owner = await new Identity(db).findDefaultWorkspace();
    const caller = { ...owner, by: { kind: 'api-key', keyId: 'k' } } as const;
    const oauth = makeOAuth({ db, box, baseUrl: () => 'http://127.0.0.1:1' });
    const given = { provider_id: 'idp', name: 'A provider', client_id: 'c' };
    await oauth.providers.create(
      caller,
      OAuthProviderCreate.parse({ ...given, auth_url: idp.url, token_url: `${idp.url}/token` }),
    );
    const insert = (accessToken: string, validMs: number | undefined) =>
      oauth.tokens.insert(
        { ...owner, userId: 'ann', providerId: 'idp' },
        {
          ...{ accessToken, refreshToken: 'withdrawn', scopes: ['mail'], label: undefined },
          expiresAt: validMs === undefined ? null : new Date(Date.now() + validMs).toISOString(),
        },
        { scopes: ['mail'], isDefault: true },
      );
    const token = await insert('last', leftMs);
    const authenticate = (fields: object) =>
      oauth.signIns.authenticate(
        caller,
        AuthenticateRequest.parse({ provider: 'idp', scopes: ['mail'], user_id: 'ann', ...fields }),
      );
    const refuse = (query: object) =>
      oauth.signIns
        .authenticate(caller, AuthenticateRequest.parse({ provider: 'idp', scopes: [], user_id: 'ann' }))
        .then(({ url }) => {
          const state = new URL(url ?? '').searchParams.get('state') ?? '';
          return oauth.signIns.finish('idp', { state, ...query });
        });
    const connect = (tokenId: string) =>
      oauth.connections.create({
        workspaceId: owner.workspaceId,
        agentId: 'planner',
        tokenId,
        createdBy: 'ann',
      });
    return {
      authenticate,
      refuse,
      connect,
      insert,
      token,
      [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
    };
  }

  it('is returned until it expires', async () => {
    await using ann = await withToken(30_000);
    const asked = idp.seen.length;
    const { status, token } = await ann.authenticate({});
    assert.deepEqual([status, token, idp.seen.length - asked], ['completed', 'last', 1]);
  });

  it('does not keep an agent from starting a sign-in once it has expired', async () => {
    await using ann = await withToken(-1_000);
    assert.equal((await ann.authenticate({ agent_id: 'planner' })).status, 'pending');
    await ann.connect(ann.token.id);
    assert.equal((await ann.authenticate({ agent_id: 'planner' })).status, 'pending');
  });

  it('does not hide a valid one while the provider does not answer', async () => {
    await using ann = await withToken(-1_000);
    isDown = true;
    await assert.rejects(ann.authenticate({}), /unexpected response/);
    const valid = await ann.insert('valid', undefined);
    const later = await ann.insert('later', -1_000);
    const { status, token } = await ann.authenticate({});
    assert.deepEqual([status, token], ['completed', 'valid']);
    // An agent that is connected to an account is not offered another one because of a failure that passes.
    await ann.connect(later.id);
    await assert.rejects(ann.authenticate({ agent_id: 'planner' }), /unexpected response/);
    await ann.connect(valid.id);
    assert.equal((await ann.authenticate({ agent_id: 'planner' })).token, 'valid');
  });

  for (const [status, error] of [
    [429, 'rate_limited'],
    [400, 'temporarily_unavailable'],
    [200, 'slow_down'],
  ] as const) {
    it(`is not refused by a provider that answers ${status} with ${error}`, async () => {
      await using ann = await withToken(-1_000);
      limit = [status, error];
      await assert.rejects(ann.authenticate({}), { status: 502, message: `The provider refused: ${error}.` });
    });
  }

  it('is refused with any status', async () => {
    await using ann = await withToken(-1_000);
    refusesWith200 = true;
    assert.equal((await ann.authenticate({})).status, 'pending');
    await ann.connect(ann.token.id);
    const valid = await ann.insert('valid', undefined);
    const { status, metadata } = await ann.authenticate({ agent_id: 'planner' });
    assert.deepEqual([status, metadata], ['connection_required', { token_id: valid.id }]);
  });

  it('is the only one for which a provider that does not answer is asked', async () => {
    await using ann = await withToken(-1_000);
    for (const name of ['second', 'third']) await ann.insert(name, -1_000);
    isDown = true;
    const asked = idp.seen.length;
    await assert.rejects(ann.authenticate({}), /unexpected response/);
    assert.equal(idp.seen.length - asked, 1);
  });

  it('says why a sign-in failed, in one sentence', async () => {
    await using ann = await withToken(-1_000);
    for (const error_description of ['The user declined.', 'The user declined', 'The user declined.\n'])
      await assert.rejects(ann.refuse({ error: 'access_denied', error_description }), {
        message: 'The provider did not sign you in: The user declined.',
      });
  });

  it('is not offered to an agent instead of one that is valid', async () => {
    await using ann = await withToken(-1_000);
    const valid = await ann.insert('valid', undefined);
    const later = await ann.insert('later', -1_000);
    await ann.connect(later.id);
    assert.deepEqual(await ann.authenticate({ agent_id: 'planner' }), {
      status: 'connection_required',
      user_id: 'ann',
      metadata: { token_id: valid.id },
    });
  });
});
