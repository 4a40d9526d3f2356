import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findNodeManager, nodeInstall } from '../../../../src/project/install/node-manager.ts';
import { CommandRunner } from '../../../../src/server/control-plane/builds/command-runner.ts';
import { cloneEnvironment } from '../../../../src/server/control-plane/builds/install/cloned-environment.ts';
import {
  CommandLineError,
  splitCommandLine,
} from '../../../../src/server/control-plane/builds/install/command-line.ts';
import {
  clonePackages,
  findPackageFolders,
  installationKey,
} from '../../../../src/server/control-plane/builds/install/installed-packages.ts';
import { Installer } from '../../../../src/server/control-plane/builds/install/installer.ts';
import {
  findUvLock,
  pythonInstall,
} from '../../../../src/server/control-plane/builds/install/python-packages.ts';
import { readProject } from '../../../../src/server/runtimes/project/project.ts';
import { findPython, interpreterIn, withPython } from '../../../support/python-environments.ts';
import { serverBundles } from '../../../support/server-bundles.ts';
import { skip } from '../../../support/skip.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { patience } from '../../../support/wait.ts';

const run = promisify(execFile);

/** The PATH without uv, in case this machine has it. */
function pathWithoutUv(): string {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const uv = process.platform === 'win32' ? 'uv.exe' : 'uv';
  return folders.filter((folder) => !existsSync(path.join(folder, uv))).join(path.delimiter);
}

async function tree(files: Readonly<Record<string, string>>): Promise<{ path: string } & AsyncDisposable> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true });
    await writeFile(path.join(folder.path, name), text);
  }
  return folder;
}

describe('installing what a source needs', () => {
  it('uses the package manager whose lockfile is nearest', async () => {
    const cases: [Record<string, string>, string, string, RegExp][] = [
      [{ 'package.json': '{}', 'package-lock.json': '{}' }, 'npm', '', /^ci /],
      [{ 'package.json': '{}', 'npm-shrinkwrap.json': '{}' }, 'npm', '', /^ci /],
      [{ 'package.json': '{}', 'pnpm-lock.yaml': '' }, 'pnpm', '', /--frozen-lockfile/],
      [{ 'package.json': '{}', 'yarn.lock': '# yarn lockfile v1' }, 'yarn', '', /--frozen-lockfile/],
      [{ 'package.json': '{}', 'yarn.lock': '__metadata:\n  version: 8' }, 'yarn', '', /--immutable/],
      [{ 'package.json': '{}' }, 'npm', '', /^install --no-package-lock/],
      [{ 'package.json': '{}', 'pnpm-lock.yaml': '', 'a/b/package.json': '{}' }, 'pnpm', 'a/b', /--frozen/],
      [{ 'package.json': '{}', 'a/package.json': '{}', 'a/package-lock.json': '{}' }, 'npm', 'a/b', /^ci/],
      [
        { 'package.json': '{"packageManager": "pnpm@9.1.0"}', 'pnpm-lock.yaml': '', 'package-lock.json': '' },
        'pnpm',
        '',
        /--frozen/,
      ],
    ];
    for (const [files, manager, below, args] of cases) {
      await using folder = await tree(files);
      const found = await findNodeManager(path.join(folder.path, below), folder.path);
      assert.equal(found?.manager, manager, JSON.stringify(files));
      assert.match((await nodeInstall(found)).args.join(' '), args);
    }
    await using none = await tree({ 'langgraph.json': '{}' });
    assert.equal(await findNodeManager(none.path, none.path), undefined);
    await using two = await tree({ 'package.json': '{}', 'yarn.lock': '', 'package-lock.json': '' });
    await assert.rejects(findNodeManager(two.path, two.path), /lockfiles of npm and yarn/);
  });

  it('creates a virtual environment from uv.lock, or from dependencies', async () => {
    await using folder = await tree({
      'uv.lock': '',
      'agents/requirements.txt': 'x',
      'agents/langgraph.json': '{}',
      'lib/pyproject.toml': '[project]',
    });
    const configDir = path.join(folder.path, 'agents');
    const project = {
      configDir,
      top: folder.path,
      dependencies: ['.', '../lib', 'httpx>=0.27'],
      pythonVersion: '3.12',
      locked: await findUvLock(configDir, folder.path),
    };
    const interpreter = { file: path.join(folder.path, 'python3.12'), version: '3.12.4' };
    const uv = { hasUv: true, findPython: async () => undefined };
    const pip = { hasUv: false, findPython: async () => interpreter };
    const locked = await pythonInstall(project, uv);
    assert.deepEqual(
      locked.steps.map(({ args, cwd }) => [args.join(' '), cwd]),
      [['sync --frozen --no-dev --no-progress --python 3.12', folder.path]],
    );
    assert.equal(locked.venv, path.join(configDir, '.venv'));
    const [venv, install] = (await pythonInstall(project, pip)).steps;
    assert.equal(venv?.command, interpreter.file);
    assert.equal(venv.args.slice(0, 2).join(' '), '-m venv');
    assert.deepEqual(install?.args.slice(6), [
      '-r',
      `.${path.sep}requirements.txt`,
      '-e',
      path.join('..', 'lib'),
      'httpx>=0.27',
    ]);
    for (const dependency of ['../../outside', './missing', '--index-url=http://evil']) {
      await assert.rejects(pythonInstall({ ...project, dependencies: [dependency] }, pip), /dependencies/);
    }
  });

  it('passes uv an installed Python, also from pyenv, and lets it download others', async () => {
    await using folder = await tree({ 'requirements.txt': '' });
    const project = { configDir: folder.path, top: folder.path, dependencies: ['.'], locked: undefined };
    const file = '/home/me/.pyenv/versions/3.12.1/bin/python3';
    const uv = { hasUv: true, findPython: async () => ({ file, version: '3.12.1' }) };
    const pythonOf = async (about: { pythonVersion: string | undefined; locked?: string }) => {
      const { steps } = await pythonInstall({ ...project, ...about }, uv);
      const args = steps[0]?.args ?? [];
      return args[args.indexOf('--python') + 1];
    };
    assert.equal(await pythonOf({ pythonVersion: '3.12' }), file);
    assert.equal(await pythonOf({ pythonVersion: '3.12', locked: folder.path }), file);
    assert.equal(await pythonOf({ pythonVersion: undefined }), file);
    assert.equal(await pythonOf({ pythonVersion: '3.14' }), '3.14');
  });

  it('pins versions with the requirements.txt beside a pyproject.toml', async () => {
    await using folder = await tree({ 'requirements.txt': 'a==1', 'pyproject.toml': '[project]' });
    const project = {
      configDir: folder.path,
      top: folder.path,
      dependencies: ['.'],
      pythonVersion: undefined,
      locked: undefined,
    };
    const { steps } = await pythonInstall(project, { hasUv: true, findPython: async () => undefined });
    assert.deepEqual(
      steps.map(({ args }) => args.join(' ')),
      [
        `venv --python >=3.11 ${path.join(folder.path, '.venv')}`,
        `pip install --no-progress --python ${path.join(folder.path, '.venv')} -r .${path.sep}requirements.txt -e .`,
      ],
    );
  });

  it('reports a missing Python version', async () => {
    await using folder = await tree({ 'requirements.txt': '' });
    const project = { configDir: folder.path, top: folder.path, dependencies: ['.'], locked: undefined };
    const other = { hasUv: false, findPython: async () => ({ file: '/bin/python3', version: '3.11.9' }) };
    await assert.rejects(
      pythonInstall({ ...project, pythonVersion: '3.13' }, other),
      /Python 3\.13 is not installed .*\/bin\/python3 is 3\.11\.9/,
    );
    const none = { hasUv: false, findPython: async () => undefined };
    await assert.rejects(
      pythonInstall({ ...project, pythonVersion: undefined }, none),
      /Python 3\.11 or later is not installed/,
    );
  });

  it('splits a command like a shell, and refuses commands that need one', () => {
    assert.deepEqual(splitCommandLine(`npm run "build all" -- --x='y z'`), [
      'npm',
      'run',
      'build all',
      '--',
      '--x=y z',
    ]);
    for (const line of [
      'a && b',
      'a | b',
      'a > b',
      'echo $HOME',
      'rm *',
      'a; b',
      'a `b`',
      'a # b',
      ' ',
      'a $(b)',
    ]) {
      assert.throws(() => splitCommandLine(line), CommandLineError, line);
    }
  });

  it('identifies installations by their inputs, and clones packages', async () => {
    await using one = await tree({
      'package.json': '{}',
      'package-lock.json': '1',
      'src/a.js': 'a',
      'node_modules/x/index.js': 'x',
      'packages/p/node_modules/y/index.js': 'y',
    });
    const before = await installationKey(one.path, []);
    await writeFile(path.join(one.path, 'src/a.js'), 'b');
    assert.equal(await installationKey(one.path, []), before);
    assert.notEqual(await installationKey(one.path, ['npm i']), before);
    await writeFile(path.join(one.path, 'package-lock.json'), '2');
    assert.notEqual(await installationKey(one.path, []), before);
    const folders = await findPackageFolders(one.path);
    assert.deepEqual(folders.sort(), ['node_modules', path.join('packages', 'p', 'node_modules')]);
    await using two = await temporaryFolder();
    const to = path.join(two.path, 'node_modules');
    await clonePackages(path.join(one.path, 'node_modules'), to, new AbortController().signal);
    assert.equal(await readFile(path.join(to, 'x/index.js'), 'utf8'), 'x');
    assert.ok((await stat(path.join(to, 'x/index.js'))).isFile());
  });
});

describe('installing with pip', function () {
  this.timeout(240_000);

  it('creates an environment that works when cloned for another build', async function () {
    await withPython(this, findPython);
    await using one = await tree({
      'langgraph.json': JSON.stringify({ graphs: { a: './src/mine/graph.py:graph' } }),
      'pyproject.toml': '[project]\nname = "mine"\nversion = "1"\ndependencies = ["mdurl"]\n',
      'requirements.txt': 'mdurl==0.1.2\n',
      'src/mine/__init__.py': 'WHERE = __file__\n',
    });
    await using two = await tree({ 'src/mine/__init__.py': 'WHERE = __file__\n' });
    const lines: string[] = [];
    const context = {
      signal: new AbortController().signal,
      log: (_: string, line: string) => void lines.push(line),
    };
    // On Windows the search path is called Path.
    const environment = Object.fromEntries(
      Object.entries(process.env).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && !/^path$/i.test(entry[0]),
      ),
    );
    const installer = new Installer({
      runner: new CommandRunner((await serverBundles()).buildGuard),
      env: { ...environment, PATH: pathWithoutUv() },
      timeoutMs: 200_000 * patience,
    });
    const project = await readProject(path.join(one.path, 'langgraph.json'), {});
    const what = { project, top: one.path, installCommand: null, buildCommand: null };
    const installed = await installer.install(what, context).catch((error: unknown) => {
      if (!/Could not find a version|connection|resolve/i.test(String(error))) throw error;
      return skip(this, String(error));
    });
    assert.ok(installed.python !== undefined, lines.join('\n'));
    const import_ = 'import mdurl, mine, sys; print(mine.WHERE, mdurl.__file__, sys.prefix, sep=chr(10))';
    const seen = async (top: string) => {
      const { stdout } = await run(interpreterIn(path.join(top, '.venv')), ['-X', 'utf8', '-c', import_]);
      return stdout.trim().split(/\r?\n/);
    };
    assert.ok((await seen(one.path)).every((file) => file.startsWith(one.path)));
    const move = { from: one.path, to: two.path, environment: '.venv' };
    await cloneEnvironment(move, context.signal);
    await rm(one.path, { recursive: true });
    assert.ok((await seen(two.path)).every((file) => file.startsWith(two.path)));
    const { stdout } = await run(
      path.join(path.dirname(interpreterIn(path.join(two.path, '.venv'))), 'pip'),
      ['--version'],
      { env: { ...process.env, PYTHONUTF8: '1' } },
    );
    assert.ok(stdout.includes(two.path), stdout);
  });
});
