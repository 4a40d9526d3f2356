import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { platform } from '../../../src/contract/platform.ts';
import { DatabaseUnreachable } from '../../../src/process/database-unreachable.ts';
import { HttpError } from '../../../src/server/http/errors.ts';
import { Identity } from '../../../src/server/identity/identity.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import { ANY_KEY, EVERYTHING } from '../../support/keys.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const refused = (status: number) => (error: unknown) => error instanceof HttpError && error.status === status;

describe('identity', () => {
  it('recognizes a key by its hash, and stores nothing else of it', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const identity = new Identity(db);
    const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
    const key = await identity.createKey({
      organizationId,
      workspaceIds: [workspaceId],
      name: 'k',
      grant: EVERYTHING,
    });
    const caller = await identity.authenticate({ 'x-api-key': key }, ANY_KEY);
    assert.equal(caller.workspaceId, workspaceId);
    const bearer = await identity.authenticate({ authorization: `Bearer ${key}` }, ANY_KEY);
    assert.deepEqual(bearer, caller);
    // Python's langsmith sends its header twice, in capitals and not; Node joins the two.
    const twice = await identity.authenticate({ 'x-api-key': `${key}, ${key}` }, ANY_KEY);
    assert.deepEqual(twice, caller);
    await assert.rejects(
      identity.authenticate({ 'x-api-key': `${key}, ${key}x` }, ANY_KEY),
      (error) => refused(401)(error) && /different values/.test(String(error)),
    );
    await db.destroy();
    for (const file of await readdir(folder.path)) {
      assert.equal((await readFile(path.join(folder.path, file))).includes(key), false, file);
    }
  });

  it("admits the owner's key alone to metrics while the database cannot be reached", async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const identity = new Identity(db);
    const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
    const make = (name: string) =>
      identity.createKey({ organizationId, workspaceIds: [workspaceId], name, grant: EVERYTHING });
    const [owner, other] = [await make('owner'), await make('other')];
    await identity.setOwner([owner], 'the test');
    db.checkReachable = () => {
      throw new DatabaseUnreachable();
    };
    await db.destroy();
    const { metrics } = platform;
    const caller = await identity.authenticate({ authorization: `Bearer ${owner}` }, metrics);
    assert.equal(caller.isOwner, true);
    for (const [key, access] of [
      [other, metrics],
      [owner, ANY_KEY],
    ] as const)
      await assert.rejects(identity.authenticate({ 'x-api-key': key }, access), /driver|destroyed|open/i);
  });

  it('refuses missing, wrong and revoked keys', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const identity = new Identity(db);
    const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
    const key = await identity.createKey({
      organizationId,
      workspaceIds: [workspaceId],
      name: 'k',
      grant: EVERYTHING,
    });
    await assert.rejects(identity.authenticate({}, ANY_KEY), refused(401));
    await assert.rejects(identity.authenticate({ 'x-api-key': `${key}x` }, ANY_KEY), refused(401));
    await db.updateTable('api_keys').set({ revoked_at: new Date().toISOString() }).execute();
    await identity.applyKeyChanges();
    await assert.rejects(identity.authenticate({ 'x-api-key': key }, ANY_KEY), refused(401));
    await identity.createKey({
      organizationId,
      workspaceIds: [workspaceId],
      name: 'k',
      key,
      grant: EVERYTHING,
    });
    const caller = await identity.authenticate({ 'x-api-key': key }, ANY_KEY);
    assert.equal(caller.workspaceId, workspaceId, 'a revoked key can be chosen again');
    await db.destroy();
  });

  it('requires the workspace only when a key has several, and accepts no other', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const identity = new Identity(db);
    const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
    const second = '22222222-2222-4222-8222-222222222222';
    const created_at = new Date().toISOString();
    await db
      .insertInto('workspaces')
      .values({ id: second, organization_id: organizationId, name: 'Second', created_at })
      .execute();
    const key = await identity.createKey({
      organizationId,
      workspaceIds: [workspaceId, second],
      name: 'both',
      grant: EVERYTHING,
    });
    await assert.rejects(
      identity.authenticate({ 'x-api-key': key }, ANY_KEY),
      (error) =>
        error instanceof HttpError &&
        error.status === 403 &&
        /requires workspace specification/.test(error.message) &&
        error.code === 'org_scoped_key_requires_workspace',
    );
    const caller = await identity.authenticate({ 'x-api-key': key, 'x-tenant-id': second }, ANY_KEY);
    assert.equal(caller.workspaceId, second);
    const single = await identity.createKey({
      organizationId,
      workspaceIds: [workspaceId],
      name: 'one',
      grant: EVERYTHING,
    });
    await assert.rejects(
      identity.authenticate({ 'x-api-key': single, 'x-tenant-id': second }, ANY_KEY),
      refused(403),
    );
    await assert.rejects(identity.authenticate({ 'x-tenant-id': second }, ANY_KEY), refused(401));
    await db.destroy();
  });
});
