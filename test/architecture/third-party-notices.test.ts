import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import {
  type BundledPackage,
  bundledPackages,
  thirdPartyNotices,
} from '../../scripts/third-party-notices.ts';

const root = path.resolve(import.meta.dirname, '../..');
const Bundles = z.record(z.string(), z.object({ inputs: z.array(z.string()) }));

/** Licenses that require at most attribution, or publishing changes to the licensed files. */
const permissive =
  /^(?:0BSD|Apache-2\.0|BlueOak-1\.0\.0|BSD-[23]-Clause|CC-BY-4\.0|ISC|MIT|\(MPL-2\.0 OR Apache-2\.0\))$/;

describe('bundled third-party code', () => {
  let packages: BundledPackage[];

  before(async () => {
    const bundles = Bundles.parse(JSON.parse(await readFile(path.join(root, 'dist/bundles.json'), 'utf8')));
    packages = await bundledPackages(Object.values(bundles).flatMap(({ inputs }) => inputs));
  });

  it('has a license that allows bundling', () => {
    assert.ok(packages.length > 0);
    assert.deepEqual(
      packages
        .filter(({ license }) => !permissive.test(license))
        .map(({ name, license }) => `${name}: ${license}`),
      [],
    );
  });

  it('is listed in the notices with its license or author', () => {
    const notices = thirdPartyNotices(packages);
    for (const { name, version, text } of packages) {
      assert.ok(notices.includes(`\n${name} ${version} (`), name);
      assert.match(text, /copyright|blue oak/i, name);
      assert.ok(notices.includes(`\n${text.trim()}\n`), name);
    }
    // Each from where it is bundled: the command line's chunks, the server, the webviews, the fonts.
    for (const name of ['kysely', 'preact', 'undici', '@vscode/codicons', '@msgpack/msgpack'])
      assert.ok(
        packages.some((one) => one.name === name),
        name,
      );
  });
});
