import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beginRepository } from '../../src/project/begin-repository.ts';
import { readGitState } from '../../src/project/git-state.ts';
import { listSourceFiles, requireGit } from '../../src/project/source-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the git state of a project', () => {
  it('distinguishes a repository without a commit from a folder outside any', async () => {
    await using folder = await temporaryFolder();
    const top = await realpath(folder.path);
    const config = path.join(top, 'langgraph.json');
    await writeFile(config, '{}');
    const outside = await readGitState(config);
    assert.deepEqual([outside.isRepository, outside.commit, outside.top], [false, undefined, top]);
    await promisify(execFile)('git', ['init', '--quiet'], { cwd: top });
    const empty = await readGitState(config);
    assert.deepEqual([empty.isRepository, empty.commit, empty.changed], [true, undefined, 1]);
  });

  it('has the same files to deploy outside a repository as in one, without packages and env files', async () => {
    await using folder = await temporaryFolder();
    const top = await realpath(folder.path);
    await mkdir(path.join(top, 'node_modules', 'a'), { recursive: true });
    await mkdir(path.join(top, 'src'));
    const files = [
      'langgraph.json',
      '.env.example',
      'src/graph.ts',
      'node_modules/a/index.js',
      '.env',
      'src/.env.local',
    ];
    for (const file of [...files, 'src/notes.log']) await writeFile(path.join(top, file), '');
    await writeFile(path.join(top, '.gitignore'), '*.log\nnode_modules\n.env*\n!.env.example\n');
    const deployed = ['.env.example', '.gitignore', 'langgraph.json', 'src/graph.ts'];
    await requireGit(top);
    assert.deepEqual(await listSourceFiles(top), deployed);
    await beginRepository(top);
    assert.equal((await readGitState(path.join(top, 'langgraph.json'))).isRepository, true);
    assert.deepEqual(await listSourceFiles(top), deployed);

    await using bare = await temporaryFolder();
    for (const name of ['langgraph.json', '.env', '.env.example'])
      await writeFile(path.join(bare.path, name), '');
    await mkdir(path.join(bare.path, '.venv'));
    await writeFile(path.join(bare.path, '.venv', 'pyvenv.cfg'), '');
    assert.deepEqual(await listSourceFiles(bare.path), ['.env.example', 'langgraph.json']);
  });
});
