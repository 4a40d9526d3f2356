import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('agent-harbor new', function () {
  this.timeout(60_000);

  it('creates a project that only needs its packages, and says what to do next', async () => {
    await using top = await temporaryFolder();
    for (const [template, setup] of [
      ['typescript', 'npm install'],
      ['python', 'pip install -e .'],
    ] as const) {
      const made = await cli(['new', `my ${template}`, '--template', template], { cwd: top.path });
      assert.equal(made.code, 0, made.stderr);
      assert.match(made.stdout, new RegExp(`Created my-${template} in `));
      assert.ok(made.stdout.includes(`cd "my ${template}"\n`) && made.stdout.includes(setup), made.stdout);
      const folder = path.join(top.path, `my ${template}`);
      assert.match(await readFile(path.join(folder, '.gitignore'), 'utf8'), /\.env/);
      assert.ok(existsSync(path.join(folder, '.git')), 'what is deployed has a history');
      const checked = await cli(['check'], { cwd: folder });
      const problems = checked.stdout.split('\n').filter((line) => line !== '');
      assert.deepEqual(
        problems.filter((line) => !line.endsWith('[dependency]')),
        [],
      );
    }
    const again = await cli(['new', 'my python', '--template', 'python'], { cwd: top.path });
    assert.equal(again.code, 1);
    assert.match(again.stderr, /already exists. Choose another folder/);
    const unnamed = await cli(['new'], { cwd: top.path });
    assert.equal(unnamed.code, 2);
    assert.match(
      unnamed.stderr,
      /This folder is not empty\. Name a folder: .*, or agent-harbor new \. to create/,
    );
    await using empty = await temporaryFolder();
    assert.equal((await cli(['new'], { cwd: empty.path })).code, 0);
    assert.equal((await cli(['new', 'x', '--template', 'cobol'], { cwd: top.path })).code, 2);
  });

  it('offers to set up coding agents, and does it when they are named', async () => {
    await using top = await temporaryFolder();
    const plain = await cli(['new', 'plain'], { cwd: top.path });
    assert.match(plain.stdout, /For Claude Code, Cursor or Codex, .*--coding-agents/);
    const made = await cli(['new', 'agent', '--coding-agents', 'claude-code,codex'], { cwd: top.path });
    assert.equal(made.code, 0, made.stderr);
    assert.doesNotMatch(made.stdout, /--coding-agents/);
    const { mcpServers } = JSON.parse(await readFile(path.join(top.path, 'agent', '.mcp.json'), 'utf8'));
    assert.equal(mcpServers['agent-harbor'].args.at(-1), 'mcp');
    const codex = await readFile(path.join(top.path, 'agent', '.codex', 'config.toml'), 'utf8');
    assert.match(codex, /^\[mcp_servers\.agent-harbor\]\n/);
    assert.equal(existsSync(path.join(top.path, 'agent', '.cursor')), false);
    const unknown = await cli(['new', 'other', '--coding-agents', 'copilot'], { cwd: top.path });
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /'copilot' is not .* Choose from: claude-code, cursor, codex\./);
    assert.equal(existsSync(path.join(top.path, 'other')), false);
  });
});
