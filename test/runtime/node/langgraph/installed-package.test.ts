import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  findInstalled,
  importFrom,
  loadAtOnce,
} from '../../../../src/runtime/node/langgraph/installed-package.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** Installs a package of two ES modules; the inner one adds a text to `globalThis.loaded`. */
async function installed(project: string, name: string, inner: string) {
  const folder = path.join(project, 'node_modules', name);
  await mkdir(folder, { recursive: true });
  const manifest = {
    name,
    version: '1.0.0',
    type: 'module',
    exports: { '.': './index.js', './inner': './inner.js' },
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(path.join(folder, 'index.js'), `export { Inner } from './inner.js';`);
  await writeFile(path.join(folder, 'inner.js'), `(globalThis.loaded ??= []).push('${name}');\n${inner}`);
  const found = findInstalled(name, path.join(project, 'index.js'));
  assert.ok(found);
  return found;
}

const loaded = (name: string) => {
  const all: unknown = Reflect.get(globalThis, 'loaded');
  return Array.isArray(all) ? all.filter((one) => one === name).length : 0;
};

describe('a package that is loaded at once', () => {
  it('is available before anything waits, and is the one that is imported later', async () => {
    await using folder = await temporaryFolder();
    const found = await installed(folder.path, 'at-once', 'export class Inner {}');
    loadAtOnce(found);
    assert.equal(loaded('at-once'), 1);
    const [index, inner] = await Promise.all([
      importFrom(found, '.', 'import'),
      importFrom(found, './inner', 'import'),
    ]);
    assert.equal(index.Inner, inner.Inner);
    assert.equal(loaded('at-once'), 1);
  });

  it('is left to be imported when one of its modules awaits', async () => {
    await using folder = await temporaryFolder();
    const found = await installed(folder.path, 'awaiting', 'export const Inner = await Promise.resolve(1);');
    loadAtOnce(found);
    assert.equal((await importFrom(found, '.', 'import')).Inner, 1);
    assert.equal(loaded('awaiting'), 1);
  });

  it('fails when it is imported, with its own error', async () => {
    await using folder = await temporaryFolder();
    const found = await installed(
      folder.path,
      'failing',
      `export const Inner = 1;\nthrow new RangeError('It falls.');`,
    );
    loadAtOnce(found);
    await assert.rejects(importFrom(found, '.', 'import'), { name: 'RangeError', message: 'It falls.' });
  });
});
