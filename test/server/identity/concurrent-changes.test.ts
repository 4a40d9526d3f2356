import assert from 'node:assert/strict';
import type { Caller } from '../../../src/server/http/caller.ts';
import { IdentityAdministration } from '../../../src/server/identity/administration.ts';
import { Identity } from '../../../src/server/identity/identity.ts';
import { WorkspaceLimiter } from '../../../src/server/identity/workspace-limits.ts';
import { makeLogger } from '../../../src/server/logger.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../src/server/storage/state-database.ts';
import { ANY_KEY, EVERYTHING } from '../../support/keys.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('two changes at the same time', () => {
  let cleanup: AsyncDisposableStack;
  let db: StateDatabase;
  let identity: Identity;
  let caller: Caller;
  beforeEach(async () => {
    cleanup = new AsyncDisposableStack();
    const folder = cleanup.use(await temporaryFolder());
    db = await openStateDatabase(folder.path);
    cleanup.defer(() => db.destroy());
    identity = new Identity(db);
    const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
    const made = { organizationId, workspaceIds: [workspaceId], name: 'k', grant: EVERYTHING };
    caller = await identity.authenticate({ 'x-api-key': await identity.createKey(made) }, ANY_KEY);
  });
  afterEach(() => cleanup.disposeAsync());

  const limiter = () =>
    new WorkspaceLimiter(db, { measure: async () => 0, logger: makeLogger({ level: 'silent' }) });

  it('of the limits of a workspace are both stored', async () => {
    const limits = limiter();
    await Promise.all([
      limits.set(caller, { max_threads: 5 }),
      limits.set(caller, { max_unfinished_runs: 7 }),
      limiter().set(caller, { audit_days: 9 }),
    ]);
    const { max_threads, max_unfinished_runs, audit_days } = await limiter().read(caller.workspaceId);
    assert.deepEqual(
      { max_threads, max_unfinished_runs, audit_days },
      { max_threads: 5, max_unfinished_runs: 7, audit_days: 9 },
    );
  });

  it('of the description and the rights of a key are both stored', async () => {
    const administration = new IdentityAdministration(db, identity);
    const [key] = await administration.listKeys(caller);
    const id = key?.id ?? '';
    await Promise.all([
      administration.narrowKey(caller, id, { description: 'renaming' }),
      administration.narrowKey(caller, id, { rights: ['read', 'admin'] }),
      administration.narrowKey(caller, id, { description: 'renamed' }),
    ]);
    const [changed] = await administration.listKeys(caller);
    assert.deepEqual([changed?.description, changed?.rights.toSorted()], ['renamed', ['admin', 'read']]);
  });
});

describe('the limits of a workspace', () => {
  it('that this version cannot read are kept, and do not lift the others', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const { workspaceId, ...rest } = await new Identity(db).findDefaultWorkspace();
    const stored = { max_threads: 5, max_unfinished_runs: 'unlimited', max_agents: 3 };
    await db
      .updateTable('workspaces')
      .set({ limits: JSON.stringify(stored) })
      .where('id', '=', workspaceId)
      .execute();
    const limiter = new WorkspaceLimiter(db, {
      measure: async () => 0,
      logger: makeLogger({ level: 'silent' }),
    });
    assert.equal((await limiter.read(workspaceId)).max_threads, 5);
    const caller = { workspaceId, ...rest, by: { kind: 'api-key', keyId: 'k' } } as const;
    assert.equal((await limiter.set(caller, { audit_days: 9 })).max_threads, 5);
    const row = await db
      .selectFrom('workspaces')
      .select('limits')
      .where('id', '=', workspaceId)
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(row.limits ?? ''), { ...stored, audit_days: 9 });
    await db.destroy();
  });
});
