import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { recordKey } from '../../../src/server/control-plane/secrets/key-check.ts';
import { SecretBox } from '../../../src/server/control-plane/secrets/secret-box.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import { nameOfKey, readKeyNotes } from '../../../src/server/team/secrets-key-notes.ts';
import { FollowedBox, openSharedBox } from '../../../src/server/team/shared-box.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

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

  it('encrypts with the new key once keys are exchanged, and reads with both', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const [secretsKey, newSecretsKey] = [randomBytes(32), randomBytes(32)];
    const followed = await FollowedBox.open({ secretsKey, newSecretsKey }, db);
    const { box } = followed;
    const early = box.seal('early', 'place');
    assert.equal(SecretBox.ofKey(secretsKey).open(early, 'place'), 'early');
    await recordKey(db, SecretBox.ofKey(newSecretsKey));
    db.bus.hint('secrets-key:changed');
    await eventually('the server to say so', async () => {
      const note = (await readKeyNotes(db)).get(db.node);
      return note?.writes === nameOfKey(newSecretsKey) ? note : undefined;
    });
    assert.equal(SecretBox.ofKey(newSecretsKey).open(box.seal('late', 'place'), 'place'), 'late');
    assert.equal(box.open(early, 'place'), 'early');
    followed.close();
    await db.destroy();
  });
});
