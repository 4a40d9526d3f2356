import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { takeSecrets, withoutSecrets } from '../../src/process/secret-variables.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('a secret of a server', () => {
  it('is a variable, or the text of the file that another variable names', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'key');
    await writeFile(file, ' of a file\r\n');
    assert.deepEqual(takeSecrets(['A', 'B', 'C'], { A: 'plain', B_FILE: file, C: '', OTHER: '1' }), {
      secrets: { A: 'plain', B: ' of a file' },
      environment: { OTHER: '1' },
    });
  });

  it('is removed on Windows however its name is spelled, because names ignore case there', () => {
    const environment = { Key: 'hush', key_file: 'C:\\key', OTHER: '1' };
    assert.deepEqual(withoutSecrets(['KEY'], environment, 'win32'), { OTHER: '1' });
    assert.deepEqual(withoutSecrets(['KEY'], environment, 'linux'), environment);
  });

  it('is refused with the name of its variable when its file cannot be read, or it is given twice', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'key');
    const take = (environment: NodeJS.ProcessEnv) => () => takeSecrets(['KEY'], environment);
    assert.throws(
      take({ KEY_FILE: file }),
      /^SecretVariableError: The file of KEY_FILE cannot be read: ENOENT.*key'\. Set KEY_FILE to a readable file, or unset it\.$/,
    );
    await writeFile(file, '\n');
    assert.throws(take({ KEY_FILE: file }), {
      message: `The file of KEY_FILE is empty: ${file}. Write the secret to it, or unset KEY_FILE.`,
    });
    assert.throws(take({ KEY: 'hush', KEY_FILE: file }), {
      message: 'KEY and KEY_FILE are both set. Set one of them.',
    });
  });
});
