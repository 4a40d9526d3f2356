import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { OAuthProviderCreate } from '../../../../src/contract/control-plane/oauth-providers.ts';
import { OAuthClient } from '../../../../src/server/control-plane/oauth/oauth-client.ts';
import { ProviderStore } from '../../../../src/server/control-plane/oauth/provider-store.ts';
import { TokenRefresh } from '../../../../src/server/control-plane/oauth/token-refresh.ts';
import { TokenStore } from '../../../../src/server/control-plane/oauth/token-store.ts';
import type { SecretBox } from '../../../../src/server/control-plane/secrets/secret-box.ts';
import { HttpError } from '../../../../src/server/http/errors.ts';
import { Identity } from '../../../../src/server/identity/identity.ts';
import type { PostgresState } from '../../../../src/server/team/postgres/postgres-state.ts';
import { openSharedBox } from '../../../../src/server/team/shared-box.ts';
import { type HttpPeer, httpPeer, json } from '../../../support/http-peer.ts';
import { type OwnPostgres, requireOwnPostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';

describe('a token that servers of a team refresh', function () {
  this.timeout(60_000);
  let postgres: OwnPostgres;
  let databases: readonly [PostgresState, PostgresState];
  let box: SecretBox;
  /** The provider waits for these promises, one before each of its first responses. */
  let holds: Promise<void>[];
  let idp: HttpPeer;
  let owner: { organizationId: string; workspaceId: string };
  let tokenId: string;

  before(async function () {
    postgres = await requireOwnPostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    const url = await postgres.createDatabase();
    databases = [await openTeamState(url), await openTeamState(url)];
    holds = [];
    idp = await httpPeer(async (_, response, count) => {
      await holds[count];
      const grant = {
        access_token: `access ${count}`,
        refresh_token: `refresh ${count}`,
        token_type: 'bearer',
      };
      json(response, 200, { ...grant, expires_in: 3_600 });
    });
    const [db] = databases;
    box = await openSharedBox(randomBytes(32), db);
    owner = await new Identity(db).findDefaultWorkspace();
    const caller = { ...owner, by: { kind: 'api-key', keyId: 'k' } } as const;
    const given = { provider_id: 'idp', name: 'A provider', client_id: 'c' };
    const provider = OAuthProviderCreate.parse({
      ...given,
      auth_url: idp.url,
      token_url: `${idp.url}/token`,
    });
    await new ProviderStore(db, box).create(caller, provider);
    const first = { accessToken: 'first', refreshToken: 'refresh', scopes: undefined, label: undefined };
    const expiresAt = new Date().toISOString();
    const who = { ...owner, userId: 'ann', providerId: 'idp' };
    const asked = { scopes: [], isDefault: true };
    ({ id: tokenId } = await new TokenStore(db, box).insert(who, { ...first, expiresAt }, asked));
  });
  afterEach(async () => {
    await Promise.all(databases.map((db) => db.destroy()));
    await idp[Symbol.asyncDispose]();
  });

  const stored = (db: PostgresState) => new TokenStore(db, box).require(owner.workspaceId, tokenId);

  /** Requests the token from one of the servers. */
  async function get(db: PostgresState, options?: { waitMs: number }): Promise<string | undefined> {
    const providers = new ProviderStore(db, box);
    const tokens = new TokenStore(db, box);
    const fresh = new TokenRefresh(tokens, new OAuthClient(providers), db, options);
    const row = await fresh.get(await providers.require(owner.organizationId, 'idp'), await stored(db));
    return row === undefined ? undefined : tokens.values(row).accessToken;
  }

  it('is stored when the database comes back, although the provider no longer accepts the old one', async () => {
    const answering = Promise.withResolvers<void>();
    holds = [answering.promise];
    const token = get(databases[0]);
    await eventually('the provider is asked', () => idp.seen.length === 1);
    await postgres.stop();
    answering.resolve();
    // Long enough for a server that does not wait to have given up.
    await Promise.race([token.catch(() => {}), sleep(1_000)]);
    await postgres.start();
    assert.equal(await token, 'access 0');
    assert.equal(await get(databases[1]), 'access 0');
    assert.equal(idp.seen.length, 1);
  });

  it('is the newer one when a server that was considered dead gets its answer late', async () => {
    const [one, other] = databases;
    const late = Promise.withResolvers<void>();
    holds = [late.promise];
    const token = get(one);
    await eventually('the provider is asked', () => idp.seen.length === 1);
    // A takeover does the same.
    await sql`delete from duties where node = ${Number(one.node)}`.execute(other);
    assert.equal(await get(other), 'access 1');
    late.resolve();
    assert.equal(await token, 'access 1');
    assert.equal(new TokenStore(one, box).values(await stored(one)).refreshToken, 'refresh 1');
  });

  it('is not waited for forever', async () => {
    const [one, other] = databases;
    assert.ok(await one.duties.take(`oauth-token:${tokenId}`));
    await assert.rejects(get(other, { waitMs: 100 }), (error: unknown) => {
      assert.ok(error instanceof HttpError);
      assert.equal(error.status, 503);
      return true;
    });
    await one.duties.release(`oauth-token:${tokenId}`);
    assert.equal(await get(other, { waitMs: 30_000 }), 'access 0');
  });
});
