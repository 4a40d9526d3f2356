import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BuildFolder, type Manifest } from '../../../../src/server/control-plane/builds/build-folder.ts';
import { SharedBuilds } from '../../../../src/server/control-plane/builds/shared-builds.ts';
import { FolderObjects } from '../../../../src/server/storage/objects/folder-objects.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const name = { deploymentId: 'deployment', key: 'key' };
const { signal } = new AbortController();
const manifest: Manifest = {
  key: 'key',
  commit: null,
  changes: null,
  config_path: 'langgraph.json',
  installation_key: '',
  packages: [],
  python: null,
  has_unbundled_ui: false,
  finished_at: '2026-01-01T00:00:00.000Z',
};

describe('a build that servers share', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let shared: SharedBuilds;
  let one: BuildFolder;
  let other: BuildFolder;
  beforeEach(async () => {
    folder = await temporaryFolder();
    shared = new SharedBuilds(new FolderObjects(path.join(folder.path, 'store')));
    one = new BuildFolder(path.join(folder.path, 'one'), name.deploymentId);
    other = new BuildFolder(path.join(folder.path, 'other'), name.deploymentId);
    await one.prepare();
    await other.prepare();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  /** Makes a build with a Python environment whose interpreter is a link to this file. */
  async function build(interpreter?: string): Promise<void> {
    const bin = path.join(one.build(name.key), '.venv', 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(path.join(one.build(name.key), 'langgraph.json'), '{}');
    await utimes(path.join(one.build(name.key), 'langgraph.json'), 1_000_000, 1_000_000);
    if (interpreter !== undefined) {
      await symlink(interpreter, path.join(bin, 'python'));
      await mkdir(path.join(bin, '..', 'lib', 'python3.11'), { recursive: true });
    }
    await one.finish({ ...manifest, python: interpreter === undefined ? null : '.venv/bin/python' });
  }
  const left = () => readdir(path.join(folder.path, 'other/deployments/deployment/staging'));

  it('is fetched as it was built, with its times and links', async () => {
    await build();
    await symlink('/somewhere/else', path.join(one.build(name.key), 'link'));
    await shared.put(one, name, signal);
    assert.equal(await shared.get(other, name, signal), true);
    assert.deepEqual(await other.find(name.key), manifest);
    const config = path.join(other.build(name.key), 'langgraph.json');
    assert.equal(await readFile(config, 'utf8'), '{}');
    assert.equal((await stat(config)).mtimeMs, 1_000_000_000);
    assert.equal(await readlink(path.join(other.build(name.key), 'link')), '/somewhere/else');
    assert.deepEqual(await left(), []);
  });

  it('is not there before it was stored, or once it is removed', async () => {
    await build();
    assert.equal(await shared.get(other, name, signal), false);
    await shared.put(one, name, signal);
    await shared.prune(name.deploymentId, { builds: new Set(['later']), sources: new Set() });
    assert.equal(await shared.get(other, name, signal), false);
    assert.equal(await other.find(name.key), undefined);
    assert.deepEqual(await left(), []);
  });

  it('with a Python environment is only for the same path', async () => {
    const interpreter = path.join(folder.path, 'python3.11');
    await writeFile(interpreter, '');
    await build(interpreter);
    await shared.put(one, name, signal);
    assert.equal(await shared.get(other, name, signal), false);
    await one.remove(name.key);
    assert.equal(await shared.get(one, name, signal), true);
    assert.equal((await one.find(name.key))?.python, '.venv/bin/python');
  });

  for (const [what, interpreter] of [
    ['is missing', 'missing/python3.11'],
    ['has another version', 'python3.12'],
  ] as const) {
    it(`is not used where its interpreter ${what}`, async () => {
      const file = path.join(folder.path, interpreter);
      if (what !== 'is missing') await writeFile(file, '');
      await build(file);
      await shared.put(one, name, signal);
      await one.remove(name.key);
      assert.equal(await shared.get(one, name, signal), false);
      assert.equal(await one.find(name.key), undefined);
    });
  }
});
