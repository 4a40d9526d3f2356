import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openFolderBox } from '../../../../src/server/control-plane/secrets/folder-key.ts';
import type { SecretBox } from '../../../../src/server/control-plane/secrets/secret-box.ts';
import { WorkspaceSecrets } from '../../../../src/server/control-plane/secrets/workspace-secrets.ts';
import { Identity } from '../../../../src/server/identity/identity.ts';
import { openStateDatabase } from '../../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../../src/server/storage/state-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the secrets of a workspace', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let db: StateDatabase;
  let secrets: WorkspaceSecrets;
  let box: SecretBox;
  let workspace: string;
  before(async () => {
    folder = await temporaryFolder();
    db = await openStateDatabase(folder.path);
    box = await openFolderBox(folder.path);
    secrets = new WorkspaceSecrets(db, box);
    workspace = (await new Identity(db).findDefaultWorkspace()).workspaceId;
  });
  after(async () => {
    await db.destroy();
    await folder[Symbol.asyncDispose]();
  });

  /** The rows of the database, decrypted. */
  async function stored(key: string): Promise<string> {
    const { sealed } = await db
      .selectFrom('workspace_secrets')
      .select('sealed')
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    return box.open(sealed, `workspace secret ${workspace} ${key}`);
  }

  it('can be set, replaced and deleted, and only their names are returned', async () => {
    await secrets.set(workspace, [
      { key: 'OPENAI_API_KEY', value: 'first value' },
      { key: 'ANTHROPIC_API_KEY', value: 'other value' },
    ]);
    await secrets.set(workspace, [{ key: 'OPENAI_API_KEY', value: 'second value' }]);
    assert.deepEqual(await secrets.list(workspace), [
      { key: 'ANTHROPIC_API_KEY' },
      { key: 'OPENAI_API_KEY' },
    ]);
    assert.equal(await stored('OPENAI_API_KEY'), 'second value');
    await secrets.set(workspace, [{ key: 'ANTHROPIC_API_KEY', value: null }]);
    await secrets.set(workspace, [{ key: 'NEVER_THERE', value: null }]);
    assert.deepEqual(await secrets.list(workspace), [{ key: 'OPENAI_API_KEY' }]);
    await assert.rejects(secrets.get(workspace, 'ANTHROPIC_API_KEY'), /not found/);
    assert.deepEqual(await secrets.list(crypto.randomUUID()), []);
  });

  it('are encrypted in the database', async () => {
    await secrets.set(workspace, [{ key: 'OPENAI_API_KEY', value: 'unlike anything else' }]);
    for (const file of ['state.db', 'state.db-wal']) {
      assert.ok(!(await readFile(path.join(folder.path, file))).includes('unlike anything else'), file);
    }
  });
});
