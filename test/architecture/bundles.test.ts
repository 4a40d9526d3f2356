import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');
const Bundles = z.record(z.string(), z.object({ bytes: z.int(), inputs: z.array(z.string()) }));
const bundles = Bundles.parse(JSON.parse(readFileSync(path.join(root, 'dist/bundles.json'), 'utf8')));

describe('a webview bundle', () => {
  const webviews = Object.entries(bundles).filter(([file]) => /^dist\/webviews\/.*\.js$/.test(file));

  it('exists', () => assert.notEqual(webviews.length, 0));

  for (const [file, { inputs }] of webviews) {
    it(`(${file}) contains only types of the contract and the extension, none of their code`, () => {
      assert.deepEqual(
        inputs.filter((input) => /^src\/(?!webviews\/)|node_modules\/(?:zod|undici)\//.test(input)),
        [],
      );
    });
  }
});

describe('the extension bundle', () => {
  const ours = Object.keys(bundles).filter((file) => /^dist\/extension\b.*\.cjs$/.test(file));

  it('contains each module once, so that a class is the same wherever it is used', () => {
    const inputs = ours.flatMap((file) => bundles[file]?.inputs ?? []);
    assert.deepEqual(
      inputs.filter((input, index) => inputs.indexOf(input) !== index),
      [],
    );
  });

  it('imports the vscode module only once, because each import copies all of its names', () => {
    const asking = ours.filter((file) => readFileSync(path.join(root, file), 'utf8').includes('("vscode")'));
    // One for all of ours, and the client of the language server, which is written as CommonJS.
    assert.deepEqual(asking.map((file) => /language-client/.test(file)).toSorted(), [false, true]);
  });

  it('contains no code of the server', () => {
    const inputs = Object.entries(bundles)
      .filter(([file]) => file.endsWith('.cjs'))
      .flatMap(([, bundle]) => bundle.inputs);
    assert.notEqual(inputs.length, 0);
    assert.deepEqual(
      inputs.filter((input) => input.startsWith('src/server/')),
      [],
    );
  });
});
