import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { OAuthProviderCreate } from '../../../src/contract/control-plane/oauth-providers.ts';
import { ListenerStore } from '../../../src/server/control-plane/data/listener-store.ts';
import { ProviderStore } from '../../../src/server/control-plane/oauth/provider-store.ts';
import { TokenStore } from '../../../src/server/control-plane/oauth/token-store.ts';
import { SecretBox } from '../../../src/server/control-plane/secrets/secret-box.ts';
import { Identity } from '../../../src/server/identity/identity.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../src/server/storage/state-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('two changes of different fields at the same time', () => {
  const box = SecretBox.ofKey(randomBytes(SecretBox.KEY_BYTES));
  let cleanup: AsyncDisposableStack;
  let db: StateDatabase;
  let owner: Awaited<ReturnType<Identity['findDefaultWorkspace']>>;
  before(async () => {
    cleanup = new AsyncDisposableStack();
    const folder = cleanup.use(await temporaryFolder());
    db = await openStateDatabase(folder.path);
    cleanup.defer(() => db.destroy());
    owner = await new Identity(db).findDefaultWorkspace();
    const caller = { ...owner, by: { kind: 'api-key', keyId: 'k' } } as const;
    const provider = OAuthProviderCreate.parse({
      provider_id: 'idp',
      name: 'A provider',
      client_id: 'c',
      auth_url: 'https://idp.example/auth',
      token_url: 'https://idp.example/token',
    });
    await new ProviderStore(db, box).create(caller, provider);
  });
  after(() => cleanup.disposeAsync());

  it('of an OAuth provider are both stored', async () => {
    const caller = { ...owner, by: { kind: 'api-key', keyId: 'k' } } as const;
    const providers = new ProviderStore(db, box);
    await Promise.all([
      providers.update(caller, 'idp', { name: 'Renamed' }),
      providers.update(caller, 'idp', { client_id: 'other' }),
    ]);
    const { name, client_id } = await providers.get(owner.organizationId, 'idp');
    assert.deepEqual([name, client_id], ['Renamed', 'other']);
  });

  it('of a token are both stored, and leave one default', async () => {
    const tokens = new TokenStore(db, box);
    const who = { ...owner, userId: 'ann', providerId: 'idp' };
    const grant = { accessToken: 'a', refreshToken: undefined, scopes: undefined, label: undefined };
    const insert = (isDefault: boolean) =>
      tokens.insert(who, { ...grant, expiresAt: new Date().toISOString() }, { scopes: [], isDefault });
    const [first, second] = [await insert(true), await insert(false)];
    await Promise.all([
      tokens.update(owner.workspaceId, second.id, { is_default: true }),
      tokens.update(owner.workspaceId, first.id, { provider_account_label: 'work' }),
    ]);
    const stored = [first, second].map(({ id }) => tokens.require(owner.workspaceId, id));
    assert.deepEqual(
      (await Promise.all(stored)).map((row) => [row.provider_account_label, row.is_default]),
      [
        ['work', 0],
        [null, 1],
      ],
    );
  });

  it('of a listener are both stored', async () => {
    const listeners = new ListenerStore(db);
    const compute_config = { k8s_namespaces: ['a'] };
    const made = await listeners.create(owner.workspaceId, {
      compute_type: 'k8s',
      compute_id: 'cluster',
      compute_config,
    });
    await Promise.all([
      listeners.update(owner.workspaceId, made.id, { version: '2' }),
      listeners.update(owner.workspaceId, made.id, { compute_config: { k8s_namespaces: ['b'] } }),
    ]);
    const stored = await listeners.get(owner.workspaceId, made.id);
    assert.deepEqual([stored.version, stored.compute_config], ['2', { k8s_namespaces: ['b'] }]);
  });
});
