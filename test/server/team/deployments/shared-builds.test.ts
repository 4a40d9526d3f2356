import assert from 'node:assert/strict';
import {
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import {
  DeploymentFolder,
  type Manifest,
} from '../../../../src/server/control-plane/builds/deployment-folder.ts';
import { SharedBuilds } from '../../../../src/server/team/deployments/shared-builds.ts';
import { openObjects } from '../../../../src/server/team/objects/open-objects.ts';
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
  made_in: null,
  is_movable: false,
  is_apart: false,
  machine: null,
  has_unbundled_ui: false,
  finished_at: '2026-01-01T00:00:00.000Z',
};

describe('a build that servers share', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let shared: SharedBuilds;
  let one: DeploymentFolder;
  let other: DeploymentFolder;
  beforeEach(async () => {
    folder = await temporaryFolder();
    shared = new SharedBuilds(await openObjects(path.join(folder.path, 'store'), {}));
    one = new DeploymentFolder(path.join(folder.path, 'one'), name.deploymentId);
    other = new DeploymentFolder(path.join(folder.path, 'other'), name.deploymentId);
    await one.prepare();
    await other.prepare();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  /** Makes a build with a Python environment for 3.11 whose interpreter is a link to this file. */
  async function build(interpreter?: string, more: Partial<Manifest> = {}): Promise<void> {
    const top = one.build(name.key);
    const environment = path.join(top, '.venv');
    await mkdir(path.join(environment, 'bin'), { recursive: true });
    await writeFile(path.join(top, 'langgraph.json'), '{}');
    await utimes(path.join(top, 'langgraph.json'), 1_000_000, 1_000_000);
    if (interpreter !== undefined) {
      await symlink(interpreter, path.join(environment, 'bin', 'python'));
      await writeFile(path.join(environment, 'bin', 'tool'), `#!${environment}/bin/python\n`, {
        mode: 0o755,
      });
      const packages = path.join(environment, 'lib', 'python3.11', 'site-packages');
      await mkdir(packages, { recursive: true });
      await writeFile(path.join(packages, 'own.pth'), `${top}/src\n`);
      const notes = `home = ${path.dirname(interpreter)}\ncommand = python -m venv ${environment}\n`;
      await writeFile(path.join(environment, 'pyvenv.cfg'), notes);
    }
    await one.finish({ ...manifest, python: interpreter === undefined ? null : '.venv', ...more });
  }
  /** An interpreter of the machine. */
  async function installPython(file = 'python3.11'): Promise<string> {
    const interpreter = path.join(folder.path, file);
    await writeFile(interpreter, '');
    return interpreter;
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

  it('is not found before it is stored or after it is removed', async () => {
    await build();
    assert.equal(await shared.get(other, name, signal), false);
    await shared.put(one, name, signal);
    await shared.prune(name.deploymentId, { builds: new Set(['later']), sources: new Set() });
    assert.equal(await shared.get(other, name, signal), false);
    assert.equal(await other.find(name.key), undefined);
    assert.deepEqual(await left(), []);
  });

  it('with a Python environment is only for the same path, when others may be named in it', async () => {
    await build(await installPython(), { made_in: one.build(name.key) });
    await shared.put(one, name, signal);
    assert.equal(await shared.get(other, name, signal), false);
    await one.remove(name.key);
    assert.equal(await shared.get(one, name, signal), true);
    assert.equal((await one.find(name.key))?.python, '.venv');
  });

  it('with a Python environment is moved to a path of any length', async () => {
    other = new DeploymentFolder(path.join(folder.path, 'another', 'much', 'longer'), name.deploymentId);
    await other.prepare();
    one = new DeploymentFolder(path.join(await realpath(folder.path), 'one'), name.deploymentId);
    await build(await installPython(), { made_in: one.build(name.key), is_movable: true });
    await shared.put(one, name, signal);
    assert.equal(await shared.get(other, name, signal), true);
    const top = await realpath(other.build(name.key));
    const read = (file: string) => readFile(path.join(top, '.venv', file), 'utf8');
    assert.equal(await read('bin/tool'), `#!${top}/.venv/bin/python\n`);
    assert.equal(await read('lib/python3.11/site-packages/own.pth'), `${top}/src\n`);
    assert.match(await read('pyvenv.cfg'), new RegExp(`-m venv ${top}/.venv$`, 'm'));
    assert.equal((await other.find(name.key))?.made_in, top);
  });

  it('is not used on another kind of machine', async () => {
    await build(undefined, { machine: 'another' });
    await shared.put(one, name, signal);
    assert.equal(await shared.get(other, name, signal), false);
    assert.equal(await other.find(name.key), undefined);
  });

  for (const [what, interpreter] of [
    ['is missing', undefined],
    ['has another version', 'python3.12'],
  ] as const) {
    it(`is not used where its interpreter ${what}`, async () => {
      const file = interpreter === undefined ? '/missing/python3.11' : await installPython(interpreter);
      await build(file, { made_in: one.build(name.key), is_movable: true });
      await shared.put(one, name, signal);
      await one.remove(name.key);
      assert.equal(await shared.get(one, name, signal), false);
      assert.equal(await one.find(name.key), undefined);
    });
  }
});
