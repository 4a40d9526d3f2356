import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '..');
const Manifest = z.object({
  version: z.string(),
  license: z.string(),
  author: z.union([z.string(), z.object({ name: z.string() })]).optional(),
});

/** A package whose code is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As an SPDX expression. */
  readonly license: string;
  /** Its license text, or its author if it has none. */
  readonly text: string;
}

/**
 * The packages that went into bundles, by name.
 *
 * @param inputs files below the project's folder, as `dist/bundles.json` lists them
 */
export async function bundledPackages(inputs: Iterable<string>): Promise<BundledPackage[]> {
  const names = new Set<string>();
  for (const input of inputs) {
    // The last match, in case a package brings its own packages.
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];
    if (folder !== undefined) names.add(folder);
  }
  return Promise.all([...names].toSorted().map(bundledPackage));
}

/** Texts that the licenses of bundled packages require beside their code. */
export function thirdPartyNotices(packages: readonly BundledPackage[]): string {
  const notices = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`,
  );
  return ['Agent Harbor contains code of these packages.\n', ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}

async function bundledPackage(folder: string): Promise<BundledPackage> {
  const at = path.join(root, folder);
  const { version, license, author } = Manifest.parse(
    JSON.parse(await readFile(path.join(at, 'package.json'), 'utf8')),
  );
  const files = (await readdir(at)).filter((file) => /^(?:licen[cs]e|notice)/i.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(path.join(at, file), 'utf8')));
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const owner = typeof author === 'object' ? author.name : (author ?? '');
  return { name, version, license, text: texts.join('\n\n') || `Copyright (c) ${owner}` };
}
