import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findPythonEnvironment, installCommand } from '../../../src/server/runtimes/python-environment.ts';
import { findPython, interpreterIn, PythonMissingError } from '../../support/python-environments.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the Python of a project', () => {
  let base: string;
  let folder: string;
  let remove: () => Promise<void>;
  const nowhere = { PATH: '' };

  before(async function () {
    this.timeout(120_000);
    try {
      base = (await findPython()).file;
    } catch (error) {
      if (!(error instanceof PythonMissingError)) throw error;
      console.log(`      skipped: ${error.message}`);
      this.skip();
    }
  });
  beforeEach(async () => {
    const made = await temporaryFolder();
    folder = made.path;
    remove = async () => made[Symbol.asyncDispose]();
  });
  afterEach(() => remove());

  const environment = (place: string) =>
    promisify(execFile)(base, ['-m', 'venv', '--without-pip', path.join(folder, place)]);
  const find = (
    options: { dir?: string; chosen?: string; env?: Record<string, string>; version?: string } = {},
  ) =>
    findPythonEnvironment(
      {
        dir: path.join(folder, options.dir ?? ''),
        config: { graphs: {}, ...(options.version === undefined ? {} : { python_version: options.version }) },
      },
      { chosen: options.chosen, env: options.env ?? nowhere },
    );

  it('is the one in .venv, before any other', async () => {
    await environment('.venv');
    await environment('other');
    const found = await find({ env: { PATH: '', VIRTUAL_ENV: path.join(folder, 'other') } });
    assert.equal(found.file, interpreterIn(path.join(folder, '.venv')));
    assert.equal(found.isVirtual, true);
    assert.match(found.version, /^3\.\d+/);
  });

  it('is the one of the repository around a project that has none', async () => {
    await mkdir(path.join(folder, '.git'));
    await mkdir(path.join(folder, 'packages', 'agent'), { recursive: true });
    await environment('.venv');
    const found = await find({ dir: path.join('packages', 'agent') });
    assert.equal(found.file, interpreterIn(path.join(folder, '.venv')));
  });

  it('is where uv was told to keep it', async () => {
    await environment('made-by-uv');
    const found = await find({ env: { PATH: '', UV_PROJECT_ENVIRONMENT: 'made-by-uv' } });
    assert.equal(found.file, interpreterIn(path.join(folder, 'made-by-uv')));
  });

  it('is what the user chose, an interpreter or a folder', async () => {
    await environment('.venv');
    await environment('chosen');
    const file = interpreterIn(path.join(folder, 'chosen'));
    assert.equal((await find({ chosen: file })).file, file);
    assert.equal((await find({ chosen: path.join(folder, 'chosen') })).file, file);
    await assert.rejects(
      find({ chosen: './missing' }),
      /The chosen Python .*missing is no interpreter that runs/,
    );
  });

  it('is the activated one when the project has none', async () => {
    await environment('activated');
    const found = await find({ env: { PATH: '', VIRTUAL_ENV: path.join(folder, 'activated') } });
    assert.match(found.origin, /activated/);
  });

  it('is one of the system when there is no environment at all', async () => {
    const found = await find({ env: { PATH: path.dirname(base) } });
    assert.deepEqual([found.origin, found.isVirtual], ['the system', false]);
  });

  it('names the command of whatever manages the packages', async () => {
    await environment('.venv');
    const python = await find();
    const quoted = `${python.file} -m pip install`;
    assert.equal(await installCommand(folder, python), `${quoted} langgraph`);
    await writeFile(path.join(folder, 'pyproject.toml'), '');
    assert.equal(await installCommand(folder, python), `${quoted} -e .`);
    await writeFile(path.join(folder, 'requirements.txt'), '');
    assert.equal(await installCommand(folder, python), `${quoted} -r requirements.txt`);
    assert.match(
      await installCommand(folder, { ...python, isVirtual: false }),
      /-m venv \.venv && \.venv.python -m pip install -r requirements\.txt|-m venv \.venv && \.venv\/bin\/python/,
    );
    await writeFile(path.join(folder, 'poetry.lock'), '');
    assert.equal(await installCommand(folder, python), 'poetry install');
    await writeFile(path.join(folder, 'uv.lock'), '');
    assert.equal(await installCommand(folder, python), 'uv sync');
  });
});
