import assert from 'node:assert/strict';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import {
  deleteStaleKeyNotes,
  readKeyNotes,
  storeKeyNote,
} from '../../../src/server/team/secrets-key-notes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the records of servers’ keys', () => {
  it('are deleted for servers that have ended, but not for one that starts meanwhile', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const note = { reads: ['a'], writes: 'a' };
    for (const server of ['ended', 'running']) await storeKeyNote(db, server, note);
    db.listServers = async () => {
      await storeKeyNote(db, 'starting', note);
      return new Set(['running']);
    };
    await deleteStaleKeyNotes(db);
    assert.deepEqual([...(await readKeyNotes(db)).keys()].toSorted(), ['running', 'starting']);
    await db.destroy();
  });
});
