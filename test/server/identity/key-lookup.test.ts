import assert from 'node:assert/strict';
import { Identity } from '../../../src/server/identity/identity.ts';
import { KeyLookup } from '../../../src/server/identity/key-lookup.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import { EVERYTHING } from '../../support/keys.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('looking up a key', () => {
  it('does not cache what was read before the key was revoked', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const identity = new Identity(db);
    const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
    const workspaceIds = [workspaceId];
    const key = await identity.createKey({ organizationId, workspaceIds, name: 'k', grant: EVERYTHING });

    const isRead = Promise.withResolvers<void>();
    const isRevoked = Promise.withResolvers<void>();
    const keys = new KeyLookup(
      delayed(db, async () => {
        isRead.resolve();
        await isRevoked.promise;
      }),
    );
    const early = keys.find(key);
    await isRead.promise;
    await identity.revokeKeys({ names: ['k'] });
    keys.forget();
    isRevoked.resolve();
    await early;
    assert.equal(await keys.find(key), undefined);
    await db.destroy();
  });
});

/** A database whose answers to queries are delayed, like those of PostgreSQL on another connection. */
function delayed<T extends object>(target: T, delay: () => Promise<void>): T {
  return new Proxy(target, {
    get: (_, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args);
        if (result instanceof Promise)
          return result.then(async (answer: unknown) => {
            await delay();
            return answer;
          });
        return typeof result === 'object' && result !== null ? delayed(result, delay) : result;
      };
    },
  });
}
