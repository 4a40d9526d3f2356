import assert from 'node:assert/strict';
import path from 'node:path';
import { readSecrets } from '../../src/project/secrets.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the variables of an env file', () => {
  it('are missing with one sentence that names the file', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'production.env');
    await assert.rejects(readSecrets(file), { message: `Env file not found: ${file}.` });
    await assert.rejects(readSecrets(folder.path), /^Error: Could not read the env file .*EISDIR/);
  });
});
