import assert from 'node:assert/strict';
import { Identity } from '../../../src/server/identity/identity.ts';
import { ANY_KEY, EVERYTHING } from '../../support/keys.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { openTeamState } from '../../support/team-state.ts';
import { eventually } from '../../support/wait.ts';

describe('a key that one server has revoked', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  for (const how of ['when they hear of it', 'when every hint is lost']) {
    it(`is refused by others, which also close its streams, ${how}`, async () => {
      const url = await postgres.createDatabase();
      const databases = [await openTeamState(url), await openTeamState(url)] as const;
      if (how !== 'when they hear of it') for (const { bus } of databases) bus.hear = () => {};
      const [here, there] = [new Identity(databases[0]), new Identity(databases[1])];
      const following = [here.followOthers(), there.followOthers()];
      const { organizationId, workspaceId } = await here.findDefaultWorkspace();
      const key = (name: string) =>
        here.createKey({ organizationId, workspaceIds: [workspaceId], name, grant: EVERYTHING });
      const [revoked, kept] = [await key('revoked'), await key('kept')];
      const call = (apiKey: string) => there.authenticate({ 'x-api-key': apiKey }, ANY_KEY);
      const ended: string[] = [];
      there.onRevoked(await call(revoked), () => ended.push('revoked'));
      there.onRevoked(await call(kept), () => ended.push('kept'));
      await here.revokeKeys({ names: ['revoked'] });
      const isRefused = async () => (await call(revoked).catch(({ status }) => status)) === 401;
      await eventually('the other server refuses it', isRefused);
      await eventually('its streams have ended', () => ended.length > 0);
      assert.equal((await call(kept)).workspaceId, workspaceId);
      assert.deepEqual(ended, ['revoked']);
      for (const identity of [here, there]) identity.close();
      await Promise.all(following);
      for (const db of databases) await db.destroy();
    });
  }
});
