import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isReserved } from '../../../../src/contract/control-plane/reserved-names.ts';
import { openFolderBox } from '../../../../src/server/control-plane/secrets/folder-key.ts';
import { maskOf } from '../../../../src/server/control-plane/secrets/mask.ts';
import { SecretBoxError } from '../../../../src/server/control-plane/secrets/secret-box.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('secrets', () => {
  it('can only be decrypted with the key of their data folder, in their place', async () => {
    await using folder = await temporaryFolder();
    await using other = await temporaryFolder();
    const box = await openFolderBox(folder.path);
    const sealed = box.seal('häsh', 'row 1');
    assert.notDeepEqual(sealed, box.seal('häsh', 'row 1'));
    assert.equal((await openFolderBox(folder.path)).open(sealed, 'row 1'), 'häsh');
    assert.throws(() => box.open(sealed, 'row 2'), SecretBoxError);
    const damaged = Uint8Array.from(sealed);
    damaged[20] = (damaged[20] ?? 0) ^ 1;
    assert.throws(() => box.open(damaged, 'row 1'), SecretBoxError);
    const strange = await openFolderBox(other.path);
    assert.throws(() => strange.open(sealed, 'row 1'), SecretBoxError);
    const file = path.join(folder.path, 'secrets.key');
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600);
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 10));
    await assert.rejects(openFolderBox(folder.path), /damaged/);
  });

  it('are masked in logs, also when encoded', () => {
    const mask = maskOf(['s3cret value', 'line one\nline two', 'abc', 'he said "hi"']);
    assert.equal(mask('a s3cret value b'), 'a *** b');
    assert.equal(mask(encodeURIComponent('s3cret value')), '***');
    assert.equal(mask(Buffer.from('s3cret value').toString('base64')), '***');
    assert.equal(mask('only line two here'), 'only *** here');
    assert.equal(mask(JSON.stringify({ x: 'he said "hi"' })), '{"x":"***"}');
    assert.equal(mask('abc stays, being a word'), 'abc stays, being a word');
  });

  it('must not have names reserved for the platform', () => {
    for (const name of [
      'LANGSMITH_API_KEY',
      'PATH',
      'Path',
      'PORT',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'AGENT_HARBOR_X',
    ])
      assert.ok(isReserved(name), name);
    for (const name of ['OPENAI_API_KEY', 'MY_PATH', 'DATABASE_URL']) assert.ok(!isReserved(name), name);
  });
});
