import assert from 'node:assert/strict';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BUILT_UI_FOLDER, readBuiltBundle } from '../../../../src/server/agent-server/ui/built-bundle.ts';
import { skip } from '../../../support/skip.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the components that a build has bundled', () => {
  const makeBuild = async (agent: string) => {
    const folder = await temporaryFolder();
    const place = path.join(folder.path, BUILT_UI_FOLDER, 'public', agent);
    await mkdir(place, { recursive: true });
    return { dir: folder.path, place, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  };

  it('are the files of one agent', async () => {
    await using build = await makeBuild('my agent');
    assert.equal(await readBuiltBundle(build.dir, 'my agent'), undefined);
    await writeFile(path.join(build.place, 'entrypoint.js'), 'render()');
    assert.deepEqual(
      await readBuiltBundle(build.dir, 'my agent'),
      new Map([['entrypoint.js', Buffer.from('render()')]]),
    );
    assert.equal(await readBuiltBundle(build.dir, 'nobody'), undefined);
    assert.equal(await readBuiltBundle(build.dir, '..'), undefined);
    assert.equal(await readBuiltBundle(build.dir, '../public/my agent/../../..'), undefined);
  });

  it('lead to no other file on this machine', async function () {
    if (process.platform === 'win32') skip(this, 'links need a privilege on Windows');
    await using secrets = await temporaryFolder();
    await writeFile(path.join(secrets.path, 'keys.js'), 'secret');
    await using build = await makeBuild('agent');
    await symlink(path.join(secrets.path, 'keys.js'), path.join(build.place, 'entrypoint.js'));
    assert.equal(await readBuiltBundle(build.dir, 'agent'), undefined);
    await symlink(secrets.path, path.join(path.dirname(build.place), 'linked'));
    assert.equal(await readBuiltBundle(build.dir, 'linked'), undefined);
  });

  it('are refused when they are too large to be kept in memory', async () => {
    await using build = await makeBuild('agent');
    const file = path.join(build.place, 'entrypoint.js');
    await writeFile(file, '');
    await truncate(file, 65 * 1_048_576);
    await assert.rejects(readBuiltBundle(build.dir, 'agent'), /'agent' are 65 MB, and the limit is 64 MB/);
  });
});
