import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runFilePath } from '../../src/coding-agents/run-file-path.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the path of a run file that a coding agent names', () => {
  let root: Awaited<ReturnType<typeof temporaryFolder>>;
  let folder: string;
  let config: string;

  beforeEach(async () => {
    root = await temporaryFolder();
    folder = path.join(await realpath(root.path), 'project');
    config = path.join(folder, 'langgraph.json');
    await mkdir(path.join(folder, '..saved'), { recursive: true });
  });
  afterEach(() => root[Symbol.asyncDispose]());

  it('is a file in the folder of the project, which need not exist', async () => {
    assert.equal(await runFilePath(config, 'new.agentrun'), path.join(folder, 'new.agentrun'));
    const saved = path.join('..saved', 'new.agentrun');
    assert.equal(await runFilePath(config, saved), path.join(folder, saved));
  });

  it('is refused if it links to a file outside of the folder', async function () {
    if (process.platform === 'win32') this.skip();
    const outside = path.join(root.path, 'outside.agentrun');
    await symlink(outside, path.join(folder, 'link.agentrun'));
    await assert.rejects(runFilePath(config, 'link.agentrun'), /is a link to a file that does not exist/);
    await writeFile(outside, '');
    await assert.rejects(runFilePath(config, 'link.agentrun'), /outside of the project's folder/);
  });

  it('is the target of a link within the folder', async function () {
    if (process.platform === 'win32') this.skip();
    const target = path.join(folder, 'target.agentrun');
    await writeFile(target, '');
    await symlink(target, path.join(folder, 'link.agentrun'));
    assert.equal(await runFilePath(config, 'link.agentrun'), target);
    await symlink(config, path.join(folder, 'other.agentrun'));
    await writeFile(config, '{}');
    await assert.rejects(runFilePath(config, 'other.agentrun'), /A run file ends with \.agentrun/);
  });
});
