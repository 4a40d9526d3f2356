import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findInstallCommand } from '../../../../src/project/checks/find-install-command.ts';
import { filesOnDisk } from '../../../../src/project/project-files.ts';
import { findPythonEnvironment } from '../../../../src/server/runtimes/python/python-environment.ts';
import { commandLine, installChoices } from '../../../../src/server/runtimes/python/python-install.ts';
import { findPython, interpreterIn, withPython } from '../../../support/python-environments.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** PowerShell before version 7 has no `&&`. */
const THEN = process.platform === 'win32' ? ', then ' : ' && ';

/** A path as it is typed: with spaces, it is in quotes, and PowerShell needs an `&` before a program in quotes. */
const asArgument = (file: string) => (/\s/.test(file) ? `"${file}"` : file);
const asProgram = (file: string) =>
  process.platform === 'win32' && /\s/.test(file) ? `& ${asArgument(file)}` : asArgument(file);

describe('the Python of a project', () => {
  let base: string;
  let folder: string;
  let remove: () => Promise<void>;
  const nowhere = { PATH: '' };

  before(async function () {
    this.timeout(120_000);
    base = (await withPython(this, findPython)).file;
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
    options: {
      dir?: string;
      chosen?: string;
      chosenBy?: string;
      env?: Record<string, string>;
      version?: string;
    } = {},
  ) =>
    findPythonEnvironment(
      {
        dir: path.join(folder, options.dir ?? ''),
        config: { graphs: {}, ...(options.version === undefined ? {} : { python_version: options.version }) },
      },
      { chosen: options.chosen, chosenBy: options.chosenBy, env: options.env ?? nowhere },
    );

  it('is the one in .venv, before any other', async () => {
    await environment('.venv');
    await environment('other');
    const found = await find({ env: { PATH: '', VIRTUAL_ENV: path.join(folder, 'other') } });
    assert.equal(found.file, interpreterIn(path.join(folder, '.venv')));
    assert.equal(found.isVirtual, true);
    assert.match(found.version, /^3\.\d+/);
  });

  it('is the one of the repository when the project has none', async () => {
    await mkdir(path.join(folder, '.git'));
    await mkdir(path.join(folder, 'packages', 'agent'), { recursive: true });
    await environment('.venv');
    const found = await find({ dir: path.join('packages', 'agent') });
    assert.equal(found.file, interpreterIn(path.join(folder, '.venv')));
  });

  it('is the one of UV_PROJECT_ENVIRONMENT', async () => {
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
    await assert.rejects(find({ chosen: './missing' }), /The selected Python .*missing does not run/);
  });

  it('that a variable names wrongly is refused with that variable, and with the message of the interpreter', async () => {
    const shim = path.join(folder, 'shim');
    await writeFile(shim, '#!/bin/sh\necho "shim: no such version" >&2\nexit 127\n', { mode: 0o755 });
    await assert.rejects(
      find({ chosen: './nowhere', chosenBy: 'AGENT_HARBOR_PYTHON' }),
      /^ProjectError: AGENT_HARBOR_PYTHON is .*nowhere, which does not run: there is no such file\. Set it to/,
    );
    if (process.platform === 'win32') return;
    await assert.rejects(find({ chosen: './shim' }), /shim does not run: shim: no such version\. Choose/);
  });

  it('is not taken from a broken environment, and a message names that environment', async () => {
    await environment('venv');
    await mkdir(path.join(folder, '.venv', 'bin'), { recursive: true });
    const found = await find();
    assert.equal(found.file, interpreterIn(path.join(folder, 'venv')));
    assert.match(
      found.broken ?? '',
      /^\.venv is not used, because its Python does not run \(there is no such file\)\./,
    );
    await rm(path.join(folder, '.venv'), { recursive: true });
    assert.equal((await find()).broken, undefined);
  });

  it('is the activated one when the project has none', async () => {
    await environment('activated');
    const found = await find({ env: { PATH: '', VIRTUAL_ENV: path.join(folder, 'activated') } });
    assert.match(found.origin, /activated/);
  });

  it('is a system interpreter when there is no environment', async () => {
    const found = await find({ env: { PATH: path.dirname(base) } });
    assert.deepEqual([found.origin, found.isVirtual], ['the system', false]);
  });

  it('gets packages from the project’s tool, else from pip and uv', async () => {
    await environment('.venv');
    const python = await find();
    const choices = async (options: { isVirtual?: boolean; path?: string } = {}) => {
      const { isVirtual = true, path: PATH = '' } = options;
      const found = await installChoices(folder, { ...python, isVirtual }, { PATH });
      return found.map((choice) => [choice.tool, commandLine(choice)]);
    };
    const pip = `${asProgram(python.file)} -m pip install`;
    assert.deepEqual(await choices(), [['pip', `${pip} langgraph`]]);
    await writeFile(path.join(folder, 'pyproject.toml'), '[tool.ruff]\n');
    assert.deepEqual(await choices(), [['pip', `${pip} langgraph`]]);
    await writeFile(path.join(folder, 'pyproject.toml'), '[project]\nname = "a"\n');
    assert.deepEqual(await choices(), [['pip', `${pip} -e .`]]);
    await writeFile(path.join(folder, 'requirements.txt'), '');
    assert.deepEqual(await choices(), [['pip', `${pip} -r requirements.txt -e .`]]);
    const inside = path.dirname(path.relative(folder, interpreterIn(path.join(folder, '.venv'))));
    assert.deepEqual(await choices({ isVirtual: false }), [
      [
        'pip',
        `${asProgram(python.file)} -m venv .venv${THEN}${path.join(inside, 'python')} -m pip install -r requirements.txt -e .`,
      ],
    ]);
    await writeFile(path.join(folder, process.platform === 'win32' ? 'uv.exe' : 'uv'), '', { mode: 0o755 });
    const words = '-r requirements.txt -e .';
    const venv = `uv venv --python ${asArgument(python.file)}`;
    const intoNew = `uv pip install --python ${path.join(inside, 'python')}`;
    assert.deepEqual((await choices({ path: folder, isVirtual: false })).at(0), [
      'uv',
      `${venv}${THEN}${intoNew} ${words}`,
    ]);
    const uv = ['uv', `uv pip install --python ${asArgument(python.file)} ${words}`];
    assert.deepEqual(await choices({ path: folder }), [['pip', `${pip} ${words}`], uv]);
    const settings = path.join(folder, '.venv', 'pyvenv.cfg');
    await writeFile(settings, `${await readFile(settings, 'utf8')}uv = 0.13.9\n`);
    assert.deepEqual(await choices(), [uv]);
    assert.equal(
      await findInstallCommand(filesOnDisk, folder, path.dirname(path.dirname(python.file))),
      `${intoNew} ${words}`,
    );
    await writeFile(path.join(folder, 'pyproject.toml'), '');
    assert.deepEqual((await choices({ path: folder, isVirtual: false })).at(0), [
      'uv',
      `${venv}${THEN}${intoNew} -r requirements.txt`,
    ]);
    await writeFile(path.join(folder, 'poetry.lock'), '');
    assert.deepEqual((await choices()).at(0), ['poetry', 'poetry install']);
    await writeFile(path.join(folder, 'uv.lock'), '');
    assert.deepEqual((await choices()).at(0), ['uv', 'uv sync']);
  });
});
