import assert from 'node:assert/strict';
import { type Platform, request, startPlatform } from '../../support/platform.ts';

interface Key {
  id: string;
  key: string;
  short_key: string;
}

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
    assert.equal((await as(platform.workspace.key, '/sessions', { 'x-tenant-id': other.id })).status, 403);
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
    const other = await json<Key>('/api-key', { method: 'POST', body: {} });
    const asOther = { id: '', key: other.key };
    const refused = await request(platform.url, asOther, `/api-key/${own?.id}`, { method: 'DELETE' });
    assert.equal(refused.status, 403);
    assert.equal((await platform.fetch('/sessions')).status, 200);
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
