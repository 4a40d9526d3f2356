import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readImageProject } from '../../src/images/image-project.ts';
import { findInstallCommand } from '../../src/project/checks/find-install-command.ts';
import { filesOnDisk } from '../../src/project/project-files.ts';
import { pythonInstall } from '../../src/server/control-plane/builds/install/python-packages.ts';
import { commandLine, installChoices } from '../../src/server/runtimes/python/python-install.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const POSIX = '.venv/bin/python';
const WINDOWS = path.join('.venv', 'Scripts', 'python');
const INSIDE = process.platform === 'win32' ? WINDOWS : POSIX;
const PROJECT = '[project]\nname = "a"\nversion = "1"\ndependencies = ["httpx"]\n';

interface Folder {
  readonly files: Readonly<Record<string, string>>;
  readonly below?: string;
  /** The tool of its lockfile, or what pip installs. */
  readonly installs: { readonly lock: 'uv' | 'poetry' } | { readonly words: string };
}

/** Each folder, and how every caller is told to install it. */
const FOLDERS: Readonly<Record<string, Folder>> = {
  'nothing that says it': { files: {}, installs: { words: 'langgraph' } },
  requirements: { files: { 'requirements.txt': 'httpx\n' }, installs: { words: '-r requirements.txt' } },
  'a package': { files: { 'pyproject.toml': PROJECT }, installs: { words: '-e .' } },
  'a package, and requirements that pin it': {
    files: { 'pyproject.toml': PROJECT, 'requirements.txt': 'httpx==1\n' },
    installs: { words: '-r requirements.txt -e .' },
  },
  'a package without dependencies, and requirements': {
    files: { 'pyproject.toml': '[project]\nname = "a"\n', 'requirements.txt': 'httpx\n' },
    installs: { words: '-r requirements.txt -e .' },
  },
  'settings of tools alone, and requirements': {
    files: { 'pyproject.toml': '[tool.ruff]\n', 'requirements.txt': 'httpx\n' },
    installs: { words: '-r requirements.txt' },
  },
  'a package of Poetry without its lockfile': {
    files: { 'pyproject.toml': '[tool.poetry]\nname = "a"\n' },
    installs: { words: '-e .' },
  },
  'a setup.py': { files: { 'setup.py': '' }, installs: { words: '-e .' } },
  'a lockfile of uv': { files: { 'pyproject.toml': PROJECT, 'uv.lock': '' }, installs: { lock: 'uv' } },
  'a lockfile of Poetry': {
    files: { 'pyproject.toml': PROJECT, 'poetry.lock': '' },
    installs: { lock: 'poetry' },
  },
  'lockfiles of both': {
    files: { 'pyproject.toml': PROJECT, 'uv.lock': '', 'poetry.lock': '' },
    installs: { lock: 'uv' },
  },
  'a workspace whose lockfile is at the top': {
    files: { 'uv.lock': '', 'pyproject.toml': '[tool.uv.workspace]\n', 'packages/a/pyproject.toml': PROJECT },
    below: 'packages/a',
    installs: { lock: 'uv' },
  },
};

const UV = process.platform === 'win32' ? 'uv.exe' : 'uv';
/** PowerShell before version 7 has no `&&`. */
const THEN = process.platform === 'win32' ? ', then ' : ' && ';

describe('how a Python folder is installed that has', () => {
  for (const [title, { files, below = '', installs }] of Object.entries(FOLDERS)) {
    it(`${title} is the same for every caller`, async () => {
      await using folder = await temporaryFolder();
      const dir = path.join(folder.path, below);
      const configPath = path.join(dir, 'langgraph.json');
      const config = JSON.stringify({ dependencies: ['.'], graphs: { a: './a.py:g' } });
      const all = { ...files, [path.join(below, 'langgraph.json')]: config, '.git/HEAD': '' };
      for (const [name, text] of Object.entries(all)) {
        await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true });
        await writeFile(path.join(folder.path, name), text);
      }
      const python = { file: '/usr/bin/python3', version: '3.12.1', origin: 'the system', isVirtual: false };
      const [best] = await installChoices(dir, python, { PATH: '' });
      await writeFile(path.join(folder.path, UV), '', { mode: 0o755 });
      const [withUv] = await installChoices(dir, python, { PATH: folder.path });
      const hint = await findInstallCommand(filesOnDisk, dir, undefined);
      const image = (await readImageProject(configPath)).python;
      if ('lock' in installs) {
        const command = installs.lock === 'uv' ? 'uv sync' : 'poetry install';
        const commands = [best, withUv].map((choice) => choice && commandLine(choice));
        assert.deepEqual([hint, ...commands], [command, command, command]);
        assert.equal(image?.kind, installs.lock);
        return;
      }
      const { words } = installs;
      assert.ok(hint.endsWith(` -m venv .venv${THEN}${INSIDE} -m pip install ${words}`), hint);
      assert.ok(
        best && commandLine(best).endsWith(`${INSIDE} -m pip install ${words}`),
        JSON.stringify(best),
      );
      assert.equal(
        withUv && commandLine(withUv),
        `uv venv --python ${python.file}${THEN}uv pip install --python ${INSIDE} ${words}`,
      );
      // Builds and images have what the folder says, and LangGraph only if it is among it.
      const said = words === 'langgraph' ? '' : words;
      const project = {
        configDir: dir,
        top: folder.path,
        dependencies: ['.'],
        pythonVersion: undefined,
        locked: undefined,
      };
      const { steps } = await pythonInstall(project, { hasUv: false, findPython: async () => python });
      const fill = (steps[1]?.args.join(' ') ?? '').replaceAll(`.${path.sep}`, '');
      assert.ok(fill.endsWith(said) && (said !== '' || fill === ''), fill);
      assert.ok(image?.kind === 'listed');
      const listed = [
        ...image.requirements.flatMap((file) => ['-r', file]),
        ...image.installed.flatMap((place) => ['-e', place]),
      ];
      assert.equal(listed.join(' '), said);
    });
  }
});
