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

async function startState(dataDir: string, database?: string, apiKey?: string, previousApiKey?: string) {
  const folder = await DataFolder.open(dataDir);
  const options = { ...serverOptions, folder, database, logger, programs: await serverBundles() };
  const state = await openState(options, { apiKey, previousApiKey });
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
    await serverBundles();
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  for (const chosen of [CHOSEN, undefined])
    it(`is one of a team as long as the server is there, ${chosen === undefined ? 'where anyone is let in' : 'where a key is required'}`, async () => {
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

  it('is changed while servers run, with two valid ones meanwhile, in any order of starts', async () => {
    const database = await postgres.createDatabase();
    await using folders = await temporaryFolder();
    let started = 0;
    const start = (key: string, before?: string) =>
      startState(path.join(folders.path, String(++started)), database, key, before);
    const next = 'the-next-key-of-sixteen-and-more';
    const old = await start(CHOSEN);
    const isOwner = async ({ identity }: Pick<ServerState, 'identity'>, key: string) => {
      const access = { credentials: 'api-key', right: 'owner' } as const;
      return identity.authenticate({ 'x-api-key': key }, access).then(
        () => true,
        () => false,
      );
    };
    const one = await start(next, CHOSEN);
    // A server that restarts before its turn.
    const again = await start(CHOSEN);
    const other = await start(next, CHOSEN);
    assert.equal(await isOwner(old, CHOSEN), true);
    for (const state of [one, other])
      assert.deepEqual([await isOwner(state, next), await isOwner(state, CHOSEN)], [true, true]);
    assert.equal(await isOwner(again, CHOSEN), true);
    const last = await start(next);
    for (const state of [one, other])
      await eventually('the previous key to be refused', async () =>
        (await isOwner(state, CHOSEN)) ? undefined : true,
      );
    // The old key stays invalid, and the next one is valid everywhere.
    const late = await start(next, CHOSEN);
    for (const state of [last, late, one])
      assert.deepEqual([await isOwner(state, next), await isOwner(state, CHOSEN)], [true, false]);
    const events = await last.db.selectFrom('audit_events').select('action').orderBy('id').execute();
    assert.deepEqual(events, [{ action: 'owner-key.add' }, { action: 'owner-key.replace' }]);
    for (const state of [old, one, again, other, last, late]) await state.stop();
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
