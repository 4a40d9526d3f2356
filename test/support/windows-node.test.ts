import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { knownDifference } from '../../scripts/windows/known-differences.ts';
import { whyNot } from '../../scripts/windows/why-not.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe("running tests on Windows' Node", () => {
  const linux = { platform: 'linux', arch: 'x64', isRoot: true, searchPath: '' } as const;

  it('says why it is not possible', async () => {
    assert.match(whyNot({ ...linux, platform: 'darwin' }) ?? '', /^it needs Windows, or Wine/);
    assert.match(whyNot({ ...linux, arch: 'arm64' }) ?? '', /x64/);
    assert.match(whyNot({ ...linux, isRoot: false }) ?? '', /root/);
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'go'), '');
    const lacking = whyNot({ ...linux, searchPath: folder.path }) ?? '';
    assert.match(lacking, /^it needs apt-get, git, mvn, /);
  });

  it('is possible on Windows without anything else', () => {
    assert.equal(whyNot({ ...linux, platform: 'win32', isRoot: false }), undefined);
  });

  it('attributes failures to Wine only where Wine is known to differ', () => {
    assert.match(knownDifference('the source of a revision runs no git hooks', 'any') ?? '', /git/);
    assert.equal(knownDifference('replacing a file gives it the new content', 'any'), undefined);
    const installs =
      'a package manager installs from its lockfile, whether it is installed on the machine or not';
    const bun = 'npm exec --package=bun@1 -- bun install exited with code 1: error: cannot access tempdir';
    assert.match(knownDifference(installs, bun) ?? '', /bun/);
    assert.equal(knownDifference(installs, bun.replaceAll('bun', 'pnpm')), undefined);
  });
});
