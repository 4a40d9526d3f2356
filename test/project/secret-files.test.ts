import assert from 'node:assert/strict';
import { isSecretFile } from '../../src/project/secret-files.ts';

describe('files that are likely to hold secrets', () => {
  it('are env files, credentials of programs, and private keys', () => {
    for (const file of [
      '.env',
      'a/.env.local',
      'prod.env',
      '.envrc',
      '.NPMRC',
      '.ssh/config',
      'a/id_dsa',
      'tls/x.PEM',
    ])
      assert.ok(isSecretFile(file), file);
  });

  it('are not examples, sources and lists of packages', () => {
    for (const file of ['.env.example', 'env.py', 'src/environment.ts', 'uv.lock', 'keys.json', 'envrc.md'])
      assert.ok(!isSecretFile(file), file);
  });
});
