import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identifyProject, platformNames } from '../../src/evaluation/project-identity.ts';
import { readGitState } from '../../src/project/git-state.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the identity of a project', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let top: string;
  beforeEach(async () => {
    temporary = await temporaryFolder();
    top = await realpath(temporary.path);
  });
  afterEach(() => temporary[Symbol.asyncDispose]());

  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd,
      stdio: 'pipe',
    });
  async function identify(...folders: string[]): Promise<string> {
    const folder = path.join(top, ...folders);
    await mkdir(folder, { recursive: true });
    const config = path.join(folder, 'langgraph.json');
    await writeFile(config, '{}');
    return identifyProject(await readGitState(config));
  }

  it('is the remote and the folder in the repository, however the remote is reached', async () => {
    git(top, 'init', '--quiet');
    git(top, 'remote', 'add', 'origin', 'x');
    const seen = new Set<string>();
    for (const url of [
      'https://github.com/acme/agents.git',
      'https://ada:secret@GitHub.com/acme/agents',
      'git@github.com:acme/agents.git',
      'ssh://git@github.com:22/acme/agents.git/',
    ]) {
      git(top, 'remote', 'set-url', 'origin', url);
      seen.add(await identify('services', 'refunds'));
    }
    assert.deepEqual([...seen], ['github.com/acme/agents/services/refunds']);
    assert.equal(await identify(), 'github.com/acme/agents');
  });

  for (const [what, identity, urls] of [
    [
      'a repository',
      'dev.azure.com/acme/support/_git/agents',
      [
        'https://dev.azure.com/acme/support/_git/agents',
        'https://acme@dev.azure.com/acme/support/_git/agents',
        'https://ada:secret@dev.azure.com/acme/support/_git/_optimized/agents',
        'git@ssh.dev.azure.com:v3/acme/support/agents',
        'ssh://git@ssh.dev.azure.com/v3/acme/support/agents',
        'https://acme.visualstudio.com/support/_git/agents',
        'https://ACME.visualstudio.com/DefaultCollection/support/_git/agents',
        'acme@vs-ssh.visualstudio.com:v3/acme/support/agents',
        'ssh://acme@vs-ssh.visualstudio.com:22/DefaultCollection/support/_ssh/agents',
      ],
    ],
    [
      'the repository that has the name of its project',
      'dev.azure.com/acme/My%20Agents/_git/My%20Agents',
      [
        'https://dev.azure.com/acme/_git/My%20Agents',
        'https://dev.azure.com/acme/My%20Agents/_git/My%20Agents',
        'git@ssh.dev.azure.com:v3/acme/My%20Agents/My%20Agents',
        'https://acme.visualstudio.com/_git/My%20Agents',
      ],
    ],
  ] as const)
    for (const url of urls)
      it(`is the same for ${what} of Azure DevOps at ${url}`, async () => {
        git(top, 'init', '--quiet');
        git(top, 'remote', 'add', 'origin', url);
        assert.equal(await identify(), identity);
      });

  it('is the path without a remote, the same in all worktrees of a repository', async () => {
    assert.equal(await identify('plain'), path.join(top, 'plain'));
    await mkdir(path.join(top, 'kept'));
    git(path.join(top, 'kept'), 'init', '--quiet');
    assert.equal(await identify('kept', 'refunds'), `${path.join(top, 'kept')}/refunds`);
    git(path.join(top, 'kept'), 'commit', '--quiet', '--allow-empty', '--message', 'Begin');
    git(path.join(top, 'kept'), 'worktree', 'add', '--quiet', '--detach', path.join(top, 'beside'));
    assert.equal(await identify('beside', 'refunds'), `${path.join(top, 'kept')}/refunds`);
    git(path.join(top, 'kept'), 'remote', 'add', 'origin', '../elsewhere.git');
    assert.equal(await identify('kept', 'refunds'), `${path.join(top, 'kept')}/refunds`);
  });

  it('makes the name of a dataset unique', () => {
    assert.deepEqual(platformNames('basics', 'github.com/acme/refunds'), [
      'basics',
      'basics (refunds)',
      'basics (github.com/acme/refunds)',
    ]);
    assert.equal(platformNames('basics', 'C:\\agents\\refunds')[1], 'basics (refunds)');
  });
});
