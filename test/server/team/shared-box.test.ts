import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { openStateDatabase } from '../../../src/server/storage/state-database.ts';
import { openSharedBox } from '../../../src/server/team/shared-box.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the secret box of servers that share a database', () => {
  it('opens what any of them has sealed, and refuses one with another key', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const key = randomBytes(32);
    const sealed = (await openSharedBox(key, db)).seal('secret', 'place');
    assert.equal((await openSharedBox(key, db)).open(sealed, 'place'), 'secret');
    await assert.rejects(openSharedBox(randomBytes(32), db), /AGENT_HARBOR_SECRETS_KEY is not the key/);
    const stored = await db.selectFrom('settings').selectAll().execute();
    assert.ok(!JSON.stringify(stored).includes(key.toString('base64')));
    await db.destroy();
  });
});
