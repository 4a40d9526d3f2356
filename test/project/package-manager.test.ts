import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readImageProject } from '../../src/images/image-project.ts';
import { checkDependencies } from '../../src/project/checks/check-dependencies.ts';
import { makeJsonService, readConfigDocument } from '../../src/project/config-document.ts';
import { findNodeManager } from '../../src/project/install/node-manager.ts';
import { filesOnDisk } from '../../src/project/project-files.ts';
import { findNodeAdvice } from '../../src/server/runtimes/generations/node-advice.ts';
import { nodeInstallChoices } from '../../src/server/runtimes/node/node-install.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DEPENDENCIES = { dependencies: { zod: '4' } };
const manifest = (more: object = {}) => JSON.stringify({ ...DEPENDENCIES, ...more });
const OLD = { name: 'OldLangGraphError', message: 'It is too old.' };

interface Folder {
  readonly files: Readonly<Record<string, string>>;
  /** The folder of langgraph.json, below the top of the repository. */
  readonly below?: string;
  readonly manager: string;
  readonly isRefused?: true;
}

/** Each project, and the package manager that every caller gets. */
const FOLDERS: Readonly<Record<string, Folder>> = {
  'no lockfile': { files: { 'package.json': manifest() }, manager: 'npm' },
  'a lockfile of npm': { files: { 'package.json': manifest(), 'package-lock.json': '{}' }, manager: 'npm' },
  'a lockfile of pnpm': { files: { 'package.json': manifest(), 'pnpm-lock.yaml': '' }, manager: 'pnpm' },
  'a lockfile of Yarn': { files: { 'package.json': manifest(), 'yarn.lock': '' }, manager: 'yarn' },
  'a lockfile of Bun': { files: { 'package.json': manifest(), 'bun.lock': '' }, manager: 'bun' },
  'an old lockfile of Bun': { files: { 'package.json': manifest(), 'bun.lockb': '' }, manager: 'bun' },
  'a manager in package.json alone': {
    files: { 'package.json': manifest({ packageManager: 'pnpm@9.1.0' }) },
    manager: 'pnpm',
  },
  'a workspace whose lockfile is at the top': {
    files: { 'package.json': '{}', 'pnpm-lock.yaml': '', 'packages/a/package.json': manifest() },
    below: 'packages/a',
    manager: 'pnpm',
  },
  'a workspace whose manager is named at the top': {
    files: { 'package.json': '{"packageManager": "yarn@4.5.0"}', 'packages/a/package.json': manifest() },
    below: 'packages/a',
    manager: 'yarn',
  },
  'two lockfiles, one of which package.json names': {
    files: {
      'package.json': manifest({ packageManager: 'pnpm@9.1.0' }),
      'pnpm-lock.yaml': '',
      'package-lock.json': '{}',
    },
    manager: 'pnpm',
  },
  'two lockfiles': {
    files: { 'package.json': manifest(), 'pnpm-lock.yaml': '', 'package-lock.json': '{}' },
    manager: 'npm',
    isRefused: true,
  },
  'a lockfile outside the repository': {
    files: { 'inner/package.json': manifest(), 'inner/.git/HEAD': '', 'package.json': '{}', 'yarn.lock': '' },
    below: 'inner',
    manager: 'npm',
  },
};

describe('the package manager of a project with', () => {
  for (const [title, { files, below = '', manager, isRefused }] of Object.entries(FOLDERS)) {
    it(`${title} is the same for every caller`, async () => {
      await using folder = await temporaryFolder();
      const dir = path.join(folder.path, below);
      const config = JSON.stringify({ graphs: { a: './a.ts:g' } });
      const all = { ...files, [path.join(below, 'langgraph.json')]: config, '.git/HEAD': '' };
      for (const [name, text] of Object.entries(all)) {
        await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true });
        await writeFile(path.join(folder.path, name), text);
      }
      const configPath = path.join(dir, 'langgraph.json');
      const top = files['inner/.git/HEAD'] === undefined ? folder.path : dir;
      if (isRefused) {
        await assert.rejects(findNodeManager(dir, top), /has lockfiles of npm and pnpm/);
        await assert.rejects(readImageProject(configPath), /has lockfiles of npm and pnpm/);
      } else {
        assert.equal((await findNodeManager(dir, top))?.manager, manager, 'a build');
        assert.equal((await readImageProject(configPath)).node?.manager, manager, 'an image');
      }
      const document = await readConfigDocument(makeJsonService(), configPath, config);
      const [problem] = await checkDependencies({ config: document, files: filesOnDisk, environment: {} });
      assert.match(problem?.message ?? '', new RegExp(`Run ${manager} install\\.$`), 'a check');
      const message = "Cannot find package 'zod' imported from /a.ts";
      const lacking = { status: 'failed', graph_id: 'a', error: { name: 'Error', message } } as const;
      assert.deepEqual(await nodeInstallChoices(dir, [lacking]), [
        { tool: manager, steps: [[manager, 'install']] },
      ]);
      assert.equal(await findNodeAdvice({ dir }, false, lacking.error), `Run ${manager} install in ${dir}`);
      const add = manager === 'npm' ? 'npm install' : `${manager} add`;
      assert.equal(
        await findNodeAdvice({ dir }, false, OLD),
        `Run this in ${dir}: ${add} @langchain/langgraph@latest @langchain/core@latest`,
      );
    });
  }
});
