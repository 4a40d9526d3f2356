import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findSyntaxErrors } from '../../../src/cli/folders/syntax-errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('syntax errors of Python', () => {
  it('are found in a folder whose name has any letters', async () => {
    await using folder = await temporaryFolder();
    const dir = path.join(folder.path, 'münchen 用');
    await mkdir(dir);
    const file = path.join(dir, 'broken.py');
    await writeFile(file, 'def approve(:\n');
    const [found, ...rest] = await findSyntaxErrors(dir, process.env, [file]);
    assert.equal(rest.length, 0);
    assert.equal(found?.file, file);
    assert.equal(found?.line, 1);
    assert.match(found?.message ?? '', /^SyntaxError: /);
  });

  it('say which file could not be read', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'gone.py');
    const found = await findSyntaxErrors(folder.path, process.env, [file]);
    assert.equal(found.length, 1);
    assert.match(found[0]?.message ?? '', /^FileNotFoundError: .*gone\.py/);
  });

  it('are all reported when together they are longer than a megabyte', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, `${'gone'.repeat(60)}.py`);
    const found = await findSyntaxErrors(folder.path, process.env, Array<string>(3_000).fill(file));
    assert.equal(found.length, 3_000);
  });

  it('are found by the next interpreter after one that ends without reading its input', async function () {
    if (process.platform === 'win32') this.skip();
    await using folder = await temporaryFolder();
    const bin = path.join(folder.path, '.venv', 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(path.join(bin, 'python'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const file = path.join(folder.path, 'broken.py');
    await writeFile(file, 'def approve(:\n');
    const empty = path.join(folder.path, 'empty.py');
    await writeFile(empty, '');
    // More names than a pipe holds.
    const files = [file, ...Array.from({ length: 5_000 }, () => empty)];
    const [found] = await findSyntaxErrors(folder.path, process.env, files);
    assert.match(found?.message ?? '', /^SyntaxError: /);
  });
});

describe('syntax errors of JavaScript', () => {
  it('say which file could not be read', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'gone.ts');
    const [found, ...rest] = await findSyntaxErrors(folder.path, process.env, [file]);
    assert.equal(rest.length, 0);
    assert.equal(found?.file, file);
    assert.equal(found?.line, 1);
    assert.match(found?.message ?? '', /ENOENT.*gone\.ts/);
  });
});
