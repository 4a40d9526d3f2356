import assert from 'node:assert/strict';
import type { NewApiKey } from '../../../src/contract/identity.ts';
import { pause } from '../../../src/process/pause.ts';
import { HttpError } from '../../../src/server/http/errors.ts';
import { IdentityAdministration } from '../../../src/server/identity/administration.ts';
import { Identity } from '../../../src/server/identity/identity.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import { ANY_KEY, EVERYTHING } from '../../support/keys.ts';
import { type Platform, request, startPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Key = NewApiKey;

describe('workspaces and keys', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  async function json<T>(route: string, init: { method?: string; body?: unknown } = {}): Promise<T> {
    const response = await platform.fetch(route, init);
    assert.ok(response.ok, `${response.status}`);
    return (await response.json()) as T;
  }
  const as = (key: string, route: string, headers: Record<string, string> = {}) =>
    request(platform.url, { id: '', key }, route, { headers });

  it('shows a key only once', async () => {
    const made = await json<Key>('/api-key', { method: 'POST', body: { description: 'for CI' } });
    assert.equal((await as(made.key, '/sessions')).status, 200);
    const listed = JSON.stringify(await json('/api/v1/api-key'));
    assert.ok(listed.includes(made.short_key) && !listed.includes(made.key));
  });

  it('revokes a key immediately', async () => {
    const made = await json<Key>('/api-key', { method: 'POST', body: {} });
    assert.equal((await as(made.key, '/sessions')).status, 200);
    await json(`/api-key/${made.id}`, { method: 'DELETE' });
    assert.equal((await as(made.key, '/sessions')).status, 401);
  });

  it('requires x-tenant-id only when a key has several workspaces', async () => {
    const other = await json<{ id: string }>('/workspaces', {
      method: 'POST',
      body: { display_name: 'Other' },
    });
    const several = await json<Key>('/api-key', {
      method: 'POST',
      body: { workspaces: [platform.workspace.id, other.id] },
    });
    const without = await as(several.key, '/sessions');
    assert.equal(without.status, 403);
    assert.match(await without.text(), /x-tenant-id/);
    const listed = await as(several.key, '/workspaces');
    assert.deepEqual(
      ((await listed.json()) as { id: string }[]).map(({ id }) => id).toSorted(),
      [platform.workspace.id, other.id].toSorted(),
      'which ones there are is told to a key that has chosen none',
    );
    assert.equal((await as(several.key, '/sessions', { 'x-tenant-id': other.id })).status, 200);
    const single = await json<Key>('/api-key', { method: 'POST', body: {} });
    assert.equal((await as(single.key, '/sessions', { 'x-tenant-id': other.id })).status, 403);
  });

  it('gives a key no access to other workspaces of its organization', async () => {
    const [theirs, mine] = [await platform.newWorkspace(), await platform.newWorkspace()];
    const { id: theirKeyId } = (await (
      await request(platform.url, theirs, '/api-key', { method: 'POST', body: {} })
    ).json()) as Key;
    const both = await json<Key>('/api-key', {
      method: 'POST',
      body: { workspaces: [theirs.id, mine.id], description: 'both' },
    });
    const attempts = [
      [403, 'POST', '/api-key', { workspaces: [theirs.id] }],
      [403, 'POST', '/api-key', { workspaces: [mine.id, theirs.id] }],
      [404, 'PATCH', `/workspaces/${theirs.id}`, { display_name: 'Mine' }],
      [404, 'DELETE', `/workspaces/${theirs.id}`, undefined],
      [404, 'DELETE', `/api-key/${theirKeyId}`, undefined],
      [403, 'DELETE', `/api-key/${both.id}`, undefined],
      [200, 'PATCH', `/workspaces/${mine.id}`, { display_name: 'Mine' }],
      [200, 'POST', '/api-key', { workspaces: [mine.id] }],
    ] as const;
    for (const [status, method, route, body] of attempts) {
      const response = await request(platform.url, mine, route, {
        method,
        ...(body === undefined ? {} : { body }),
      });
      assert.equal(response.status, status, `${method} ${route}: ${await response.text()}`);
    }
    const { status } = await as(both.key, '/sessions', { 'x-tenant-id': theirs.id });
    assert.equal(status, 200);
  });

  it('lets no other key revoke the machine’s own key', async () => {
    const own = (await json<Key[]>('/api-key')).find((key) =>
      platform.workspace.key.startsWith(key.short_key),
    );
    const other = await json<Key>('/api-key', { method: 'POST', body: { rights: ['admin'] } });
    const asOther = { id: '', key: other.key };
    const refused = await request(platform.url, asOther, `/api-key/${own?.id}`, { method: 'DELETE' });
    assert.equal(refused.status, 403);
    assert.equal((await platform.fetch('/sessions')).status, 200);
  });

  it('lets the owner enter every workspace, and manage its keys', async () => {
    const { id } = await json<{ id: string }>('/workspaces', { method: 'POST', body: { display_name: 'B' } });
    const inside = { 'x-tenant-id': id };
    const owner = platform.workspace.key;
    const listed = await json<{ id: string }[]>('/workspaces');
    assert.ok(listed.some((workspace) => workspace.id === id));
    const made = await json<Key>('/api-key', { method: 'POST', body: { workspaces: [id] } });
    const keys = (await (await as(owner, '/api-key', inside)).json()) as Key[];
    assert.deepEqual(
      keys.map((key) => key.id),
      [made.id],
    );
    await json(`/api-key/${made.id}`, { method: 'DELETE' });
    assert.equal((await as(made.key, '/sessions')).status, 401);
  });

  it('creates keys that can neither deploy nor manage keys by default', async () => {
    const usual = await json<Key>('/api-key', { method: 'POST', body: {} });
    assert.deepEqual(usual.rights, ['trace', 'run', 'read', 'write']);
    assert.equal((await as(usual.key, '/sessions')).status, 200);
    const refused = await as(usual.key, '/api-key');
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /requires the right 'admin'.*keys create --right admin/);
  });

  it('gives no key more rights than its creator has', async () => {
    const admin = await json<Key>('/api-key', {
      method: 'POST',
      body: { rights: ['admin', 'read', 'trace'], projects: ['one', 'two'] },
    });
    const asAdmin = { id: '', key: admin.key };
    const make = async (body: object) => {
      const response = await request(platform.url, asAdmin, '/api-key', { method: 'POST', body });
      return [response.status, await response.text()] as const;
    };
    const attempts = [
      [403, { rights: ['deploy'] }, /does not have the right 'deploy'/],
      [403, { rights: ['trace'] }, /Name one or more of them \(one, two\)/],
      [403, { rights: ['trace'], projects: ['three'] }, /may not trace to project 'three'/],
      [422, { rights: ['read'], projects: ['one'] }, /Only the right 'trace'/],
      [422, { rights: ['all'] }, /rights/],
      [200, { rights: ['read', 'trace'], projects: ['two'] }, /"projects":\["two"\]/],
    ] as const;
    for (const [status, body, text] of attempts) {
      const [answered, said] = await make(body);
      assert.equal(answered, status, said);
      assert.match(said, text);
    }
  });

  it('removes rights and projects from a key at once, and adds none', async () => {
    const made = await json<Key>('/api-key', {
      method: 'POST',
      body: { rights: ['read', 'trace'], projects: ['one', 'two'] },
    });
    const change = async (body: object) => {
      const response = await platform.fetch(`/api-key/${made.id}`, { method: 'PATCH', body });
      return [response.status, (await response.json()) as Key & { detail?: { msg: string }[] }] as const;
    };
    assert.equal((await as(made.key, '/sessions')).status, 200);
    const [status, narrowed] = await change({ rights: ['trace'], projects: ['one'], description: 'less' });
    assert.equal(status, 200);
    assert.deepEqual(
      [narrowed.rights, narrowed.projects, narrowed.description],
      [['trace'], ['one'], 'less'],
    );
    assert.equal((await as(made.key, '/sessions')).status, 403);
    for (const more of [{ rights: ['trace', 'read'] }, { projects: ['two'] }]) {
      const [refused, { detail }] = await change(more);
      assert.equal(refused, 422);
      assert.match(detail?.[0]?.msg ?? '', /make another key/);
    }
  });

  it('rotates a key, and only one with no more than the caller’s', async () => {
    const made = await json<Key>('/api-key', { method: 'POST', body: { rights: ['read', 'deploy'] } });
    const admin = await json<Key>('/api-key', { method: 'POST', body: { rights: ['admin', 'read'] } });
    const refused = await request(platform.url, { id: '', key: admin.key }, `/api-key/${made.id}/rotate`, {
      method: 'POST',
    });
    assert.equal(refused.status, 403);
    assert.equal((await as(made.key, '/sessions')).status, 200);
    const rotated = await json<Key>(`/api-key/${made.id}/rotate`, { method: 'POST' });
    assert.deepEqual(rotated.rights, ['read', 'deploy']);
    assert.equal((await as(rotated.key, '/sessions')).status, 200);
    assert.equal((await as(made.key, '/sessions')).status, 401);
    const own = (await json<Key[]>('/api-key')).find((key) =>
      platform.workspace.key.startsWith(key.short_key),
    );
    const response = await platform.fetch(`/api-key/${own?.id}/rotate`, { method: 'POST' });
    assert.equal(response.status, 409, 'the owner’s key is not made here');
  });

  it('rotates a key only once if two requests do it at the same time', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const identity = new Identity(db);
    const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
    const workspaceIds = [workspaceId];
    const key = await identity.createKey({ organizationId, workspaceIds, name: 'k', grant: EVERYTHING });
    const caller = await identity.authenticate({ 'x-api-key': key }, ANY_KEY);
    const administration = new IdentityAdministration(db, identity);
    const [made] = await administration.listKeys(caller);
    const rotate = () => administration.rotateKey(caller, made?.id ?? '', 60);
    const results = await Promise.allSettled([rotate(), rotate()]);
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const [refusal] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    assert.ok(refusal instanceof HttpError && refusal.status === 409, String(refusal));
    assert.equal((await administration.listKeys(caller)).length, 2);
    await db.destroy();
  });

  it('keeps the time when a key was revoked first', async () => {
    const { id } = await json<Key>('/api-key', { method: 'POST', body: {} });
    const revoke = async () => (await json<Key>(`/api-key/${id}`, { method: 'DELETE' })).revoked_at;
    const first = await revoke();
    assert.ok(first !== null);
    await pause(2, {});
    assert.equal(await revoke(), first);
  });

  it('revokes a rotated key at once, although it had time left', async () => {
    const made = await json<Key>('/api-key', { method: 'POST', body: {} });
    await json(`/api-key/${made.id}/rotate`, { method: 'POST', body: { overlap_seconds: 3600 } });
    assert.equal((await as(made.key, '/sessions')).status, 200);
    await json(`/api-key/${made.id}`, { method: 'DELETE' });
    assert.equal((await as(made.key, '/sessions')).status, 401);
  });

  it('isolates organizations', async () => {
    const foreign = await json<{ key: string; workspace_id: string }>('/orgs', {
      method: 'POST',
      body: { display_name: 'Foreign' },
    });
    const refused = await platform.fetch('/api-key', {
      method: 'POST',
      body: { workspaces: [foreign.workspace_id] },
    });
    assert.equal(refused.status, 403);
    const renamed = await platform.fetch(`/workspaces/${foreign.workspace_id}`, {
      method: 'PATCH',
      body: { display_name: 'Mine' },
    });
    assert.equal(renamed.status, 404);
    const seen = (await (await as(foreign.key, '/workspaces')).json()) as { id: string }[];
    assert.deepEqual(
      seen.map(({ id }) => id),
      [foreign.workspace_id],
    );
  });
});
