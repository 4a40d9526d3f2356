import assert from 'node:assert/strict';
import { z } from 'zod';
import { ApiKey, NewApiKey } from '../../src/contract/identity.ts';
import { cli } from '../support/cli.ts';
import { type CliPlatform, cliPlatform } from '../support/cli-platform.ts';
import { eventually } from '../support/wait.ts';

describe('agent-harbor keys', function () {
  this.timeout(90_000);
  let platform: CliPlatform;
  before(async () => {
    platform = await cliPlatform();
  });
  after(() => platform?.[Symbol.asyncDispose]());

  const keys = (...args: string[]) => cli(['keys', ...args, '--data-dir', platform.dataDir]);
  const listed = async () => z.array(ApiKey).parse(JSON.parse((await keys('list', '--json')).stdout));
  const isOpen = async (key: string) => {
    const { baseUrl } = platform.client.connection;
    return (await fetch(`${baseUrl}/orgs/current`, { headers: { 'x-api-key': key } })).ok;
  };

  it('creates a key with rights and projects, narrows, rotates and revokes it', async () => {
    const args = [
      'Web shop',
      '--right',
      'trace',
      '--right',
      'read',
      '--project',
      'shop',
      '--project',
      'test',
    ];
    const made = await keys('create', ...args);
    assert.equal(made.code, 0, made.stderr);
    const value = made.stdout.trim();
    assert.match(value, /^ah_\S+$/);
    assert.match(made.stderr, /not shown again.*trace, read; traces only to: shop, test/);
    assert.doesNotMatch((await keys('list')).stdout, new RegExp(value));

    const narrowed = await keys('narrow', 'Web shop', '--right', 'trace', '--project', 'shop');
    assert.equal(narrowed.code, 0, narrowed.stderr);
    const found = (await listed()).find(({ description }) => description === 'Web shop');
    assert.deepEqual([found?.rights, found?.projects], [['trace'], ['shop']]);
    const widened = await keys('narrow', 'Web shop', '--right', 'deploy');
    assert.equal(widened.code, 1);
    assert.match(widened.stderr, /does not have 'deploy'.*make another key/s);

    const rotated = NewApiKey.parse(JSON.parse((await keys('rotate', value, '--json')).stdout));
    assert.deepEqual([rotated.rights, rotated.projects], [['trace'], ['shop']]);
    assert.deepEqual([await isOpen(value), await isOpen(rotated.key)], [false, true]);

    const kept = await keys('rotate', rotated.id, '--overlap', '1');
    assert.equal(kept.code, 0, kept.stderr);
    assert.match(kept.stderr, new RegExp(`The old key expires in 1 h\\. .*keys revoke ${rotated.id}`));
    assert.deepEqual([await isOpen(rotated.key), await isOpen(kept.stdout.trim())], [true, true]);
    const old = (await listed()).find(({ id }) => id === rotated.id);
    assert.ok(Date.parse(old?.revoked_at ?? '') > Date.now());
    const twice = await keys('rotate', rotated.id);
    assert.match(twice.stderr, /has been rotated, and ends at .* Rotate the new one/);
    assert.equal((await keys('rotate', 'Web shop', '--overlap', '0.0005')).code, 0);
    await eventually('the key to end by itself', async () =>
      (await isOpen(kept.stdout.trim())) ? undefined : true,
    );

    const revoked = await keys('revoke', rotated.id, '--yes');
    assert.equal(revoked.code, 0, revoked.stderr);
    assert.equal(await isOpen(rotated.key), false);
    assert.equal(
      (await listed()).filter(({ revoked_at }) => revoked_at === null).some(({ id }) => id === rotated.id),
      false,
    );
  });

  it('explains what is wrong', async () => {
    const unknown = await keys('create', '--right', 'fly');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /trace, run, read, write, sign-in, deploy, admin/);
    const missing = await keys('revoke', 'nobody', '--yes');
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /Key 'nobody' not found/);
    assert.equal((await keys('narrow', 'nobody')).code, 2);
  });
});
