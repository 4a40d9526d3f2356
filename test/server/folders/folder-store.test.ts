import assert from 'node:assert/strict';
import { FolderStore } from '../../../src/server/folders/folder-store.ts';
import { HttpError } from '../../../src/server/http/errors.ts';
import { deploymentDatabase, PAST } from '../../support/deployment-database.ts';

describe('the deployment of a folder', () => {
  it('belongs to one workspace', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const store = new FolderStore(db);
    const first = await db.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow();
    const other = { ...first, id: 'other', name: 'Other', created_at: PAST };
    await db.insertInto('workspaces').values(other).execute();
    const configPath = '/projects/agent/langgraph.json';
    const { id } = await store.findOrInsert(first.id, configPath);
    assert.equal((await store.findOrInsert(first.id, configPath)).id, id);
    await assert.rejects(store.findOrInsert(other.id, configPath), (error) => {
      assert.ok(error instanceof HttpError, String(error));
      assert.equal(error.status, 409);
      assert.match(error.message, /belongs to another workspace/);
      return true;
    });
  });
});
