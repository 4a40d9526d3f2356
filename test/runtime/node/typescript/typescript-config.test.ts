import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mock } from 'node:test';
import { toJavaScript } from '../../../../src/runtime/node/typescript/typescript-source.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** Converts a file in each folder, with a tsconfig.json above them. @returns the warnings */
async function convertBelow(tsconfig: string, folders: readonly string[]) {
  await using project = await temporaryFolder();
  await writeFile(path.join(project.path, 'tsconfig.json'), tsconfig);
  const warn = mock.method(console, 'warn', () => {});
  try {
    for (const folder of folders) {
      const file = path.join(project.path, folder, 'graph.ts');
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, 'export const answer: number = 42;\n');
      assert.match(toJavaScript(file).source, /^export const answer = 42;/);
    }
    const root = project.path + path.sep;
    return warn.mock.calls.map(({ arguments: [text] }) => String(text).replaceAll(root, ''));
  } finally {
    warn.mock.restore();
  }
}

describe('a tsconfig.json', () => {
  it('that cannot be used is named in one warning, with the reason', async () => {
    assert.deepEqual(await convertBelow('{ "extends": "./missing.json" }', ['.', 'nodes', 'tools']), [
      "tsconfig.json is ignored. Reason: File './missing.json' not found.",
    ]);
    assert.deepEqual(await convertBelow('{ "extends": "./tsconfig.json" }', ['nodes']), [
      'tsconfig.json is ignored. Reason: Circularity detected while resolving configuration: tsconfig.json',
    ]);
  });

  it('that can be used causes no warning', async () => {
    assert.deepEqual(await convertBelow('{ "compilerOptions": { "jsx": "react" } }', ['.', 'nodes']), []);
  });
});
