/**
 * Collects the extension's strings for translators: `node scripts/l10n.ts [--check]` writes `l10n/bundle.l10n.json`, or
 * says whether it is up to date. The strings of package.json are in package.nls.json.
 */
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getL10nJson } from '@vscode/l10n-dev';

const root = path.resolve(import.meta.dirname, '..');
const bundle = path.join(root, 'l10n', 'bundle.l10n.json');

const sources = globSync('src/{extension,webviews}/**/*.{ts,tsx}', { cwd: root }).toSorted();
const read = await Promise.all(
  sources.map(async (file) => ({
    extension: file.endsWith('.tsx') ? ('.tsx' as const) : ('.ts' as const),
    contents: await readFile(path.join(root, file), 'utf8'),
  })),
);
// A file that does not name l10n has no strings. Parsing takes long, and most files do not.
const strings = await getL10nJson(read.filter(({ contents }) => contents.includes('l10n')));
const sorted = Object.fromEntries(Object.entries(strings).sort(([a], [b]) => (a < b ? -1 : 1)));
const text = `${JSON.stringify(sorted, undefined, 2)}\n`;

if (!process.argv.includes('--check')) {
  await mkdir(path.dirname(bundle), { recursive: true });
  await writeFile(bundle, text);
} else if ((await readFile(bundle, 'utf8').catch(() => '')) !== text) {
  console.error('l10n/bundle.l10n.json is not up to date: run `npm run generate`.');
  process.exitCode = 1;
}
