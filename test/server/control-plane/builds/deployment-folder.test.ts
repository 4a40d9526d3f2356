import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DeploymentFolder } from '../../../../src/server/control-plane/builds/deployment-folder.ts';
import { DEPLOYMENT } from '../../../support/deployment-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the folder of a deployment', () => {
  it('has no build whose manifest is missing or damaged, and reports a manifest that cannot be read', async () => {
    await using data = await temporaryFolder();
    const folder = new DeploymentFolder(data.path, DEPLOYMENT);
    await folder.prepare();
    assert.equal(await folder.find('missing'), undefined);
    await writeFile(path.join(folder.builds, 'damaged.json'), '{"key":');
    assert.equal(await folder.find('damaged'), undefined);
    // A folder cannot be read as a file, whoever the user is.
    await mkdir(path.join(folder.builds, 'unreadable.json'));
    await assert.rejects(folder.find('unreadable'), { code: 'EISDIR' });
    // The other builds can still be pruned, and their packages reused.
    assert.deepEqual(await folder.listManifests(), []);
  });
});
