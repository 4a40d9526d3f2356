import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from '../../../../src/server/control-plane/builds/command-runner.ts';
import { explainFailure } from '../../../../src/server/control-plane/builds/install/explain-failure.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the reason of a build whose packages could not be installed', () => {
  it('is the explanation of npm, without the help that npm prints below', async () => {
    await using folder = await temporaryFolder();
    const write = (name: string, content: object) =>
      writeFile(path.join(folder.path, name), JSON.stringify(content));
    await write('package.json', { name: 'x', version: '1.0.0', dependencies: { zod: '^4.0.0' } });
    await write('package-lock.json', { name: 'x', lockfileVersion: 3, packages: { '': { name: 'x' } } });
    const { stderr } = spawnSync('npm', ['ci', '--no-audit'], {
      cwd: folder.path,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    const lines = stderr.split('\n');
    assert.match(stderr, /Run "npm help ci"/, 'npm prints its help');
    const errors = lines.filter((line) => /\berror\b/.test(line)).slice(0, 12);
    const failed = new CommandError('npm ci exited with code 1.', { tail: lines.slice(-20), errors });
    const reason = explainFailure(failed, { name: 'package-lock.json', command: 'npm install' });
    assert.ok(reason instanceof Error);
    const [sentence, ...below] = reason.message.split('\n');
    assert.match(sentence ?? '', /: package-lock\.json is out of date\. Run npm install and commit/);
    assert.ok(below.some((line) => /Missing: zod@/.test(line)));
    assert.doesNotMatch(reason.message, /Clean install|aliases|--|npm help/);
  });

  it('keeps the only line of output when it explains the failure in other words', () => {
    const line = 'error: Failed to parse `uv.lock`: TOML parse error at line 3';
    const failed = new CommandError('uv sync exited with code 2.', { tail: [line], errors: [] });
    const explained = explainFailure(failed, { name: 'uv.lock', command: 'uv lock' });
    assert.ok(explained instanceof Error);
    assert.equal(
      explained.message,
      `uv sync exited with code 2: uv.lock cannot be read. Run uv lock and commit uv.lock.\n${line}`,
    );
    const unknown = explainFailure(
      new CommandError('uv sync exited with code 2.', { tail: ['error: no'], errors: [] }),
    );
    assert.ok(unknown instanceof Error);
    assert.equal(unknown.message, 'uv sync exited with code 2: error: no');
  });
});
