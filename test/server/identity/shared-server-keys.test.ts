import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DataFolder } from '../../../src/server/data-folder.ts';
import { makeLogger } from '../../../src/server/logger.ts';
import { openState, type ServerState } from '../../../src/server/open-state.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { serverBundles } from '../../support/server-bundles.ts';
import { serverOptions } from '../../support/server-options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

const CHOSEN = 'a-key-of-sixteen-and-more';
const logger = makeLogger({ level: 'silent' });

async function startState(dataDir: string, database?: string, chosenKey?: string) {
  const folder = await DataFolder.open(dataDir);
  const options = { ...serverOptions, folder, database, logger, programs: await serverBundles() };
  const state = await openState(options, chosenKey);
  return {
    ...state,
    stop: async () => {
      state.identity.close();
      await state.db.destroy();
      folder.close();
    },
  };
}

async function countKeys({ db }: Pick<ServerState, 'db'>): Promise<number> {
  const rows = await db.selectFrom('api_keys').select('id').execute();
  return rows.length;
}

describe('the key that agents of a server trace with', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  for (const chosen of [CHOSEN, undefined])
    it(`is one of a team as long as the server is there, ${chosen === undefined ? 'where anyone is let in' : 'where a key is asked for'}`, async () => {
      const database = await postgres.createDatabase();
      await using folders = await temporaryFolder();
      let started = 0;
      // A container has a new data folder each time.
      const start = (key = chosen) => startState(path.join(folders.path, String(++started)), database, key);
      const [one, other] = [await start(), await start()];
      const before = await countKeys(one);
      assert.notEqual(one.tracingKey, other.tracingKey);
      await one.stop();
      await eventually('the other server to have seen that one is gone', async () =>
        (await other.db.listServers()).has(one.db.node) ? undefined : true,
      );
      const next = await start();
      assert.equal(await countKeys(next), before);
      const isKnown = (key: string) => next.identity.isKnown(key);
      assert.deepEqual(await Promise.all([one, other, next].map(({ tracingKey }) => isKnown(tracingKey))), [
        false,
        true,
        true,
      ]);
      assert.equal(await isKnown(other.apiKey), true);
      if (chosen !== undefined) {
        const changed = await start('another-key-of-sixteen-and-more');
        assert.equal(await changed.identity.isKnown(chosen), false);
        const events = await changed.db.selectFrom('audit_events').select(['action', 'actor']).execute();
        assert.deepEqual(events, [{ action: 'owner-key.replace', actor: 'server' }]);
        assert.equal(
          await changed.identity.isKnown(other.tracingKey),
          true,
          'its runs are traced to their end',
        );
        await changed.stop();
      }
      for (const state of [other, next]) await state.stop();
    });

  it('is kept in a data folder, and replaced when it is lost', async () => {
    await using folder = await temporaryFolder();
    const keys: string[] = [];
    for (const isLost of [false, false, true]) {
      if (isLost) await rm(path.join(folder.path, 'credentials.json'));
      const state = await startState(folder.path);
      keys.push(state.tracingKey);
      assert.equal(await state.identity.isKnown(state.tracingKey), true);
      if (isLost) assert.equal(await state.identity.isKnown(keys[0] ?? ''), false);
      await state.stop();
    }
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[1], keys[2]);
  });
});
