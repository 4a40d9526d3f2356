import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { readGitState } from '../../src/project/git-state.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the git state of a project', () => {
  it('tells a repository without a commit from a folder outside of any', async () => {
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
});
