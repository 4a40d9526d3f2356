/**
 * Makes the one VSIX for all platforms: `npm run package [-- --out FILE]`. It is assembled in a separate folder, so
 * that whatever runs from dist/ continues. Fails when the VSIX is too large.
 */
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import spawn from 'cross-spawn';
import { z } from 'zod';
import { bundledPackages, thirdPartyNotices } from './third-party-notices.ts';

/** The size limit of the download; raise it only for features that are worth it. */
const MAX_BYTES = 5_500_000;
const root = path.resolve(import.meta.dirname, '..');
const PRICES = path.join(root, 'src/server/tracing/prices/model-prices.json');
const PricesNotice = z.object({ source: z.string(), version: z.string(), license: z.string() });
/** Packed beside dist/; .vscodeignore excludes some of them. */
const files = [
  '.vscodeignore',
  'package.json',
  'package.nls.json',
  'l10n',
  'media',
  'skills',
  'docs/images',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
];

const { name, version } = z
  .object({ name: z.string(), version: z.string() })
  .parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
const { values } = parseArgs({
  options: { out: { type: 'string', default: path.join(root, `${name}-${version}.vsix`) } },
});

const staging = await mkdtemp(path.join(tmpdir(), 'agent-harbor-package-'));
try {
  for (const file of files) await cp(path.join(root, file), path.join(staging, file), { recursive: true });
  await withoutDevelopment(path.join(staging, 'package.json'));
  run(
    process.execPath,
    [path.join(root, 'esbuild.mjs'), '--production', `--out=${path.join(staging, 'dist')}`],
    root,
  );
  await writeNotices(
    path.join(staging, 'dist', 'bundles.json'),
    path.join(staging, 'THIRD-PARTY-NOTICES.txt'),
  );
  const vsce = path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'vsce.cmd' : 'vsce');
  run(vsce, ['package', '--no-dependencies', '--no-rewrite-relative-links', '--out', values.out], staging);
  const { size } = await stat(values.out);
  console.log(`${values.out}: ${(size / 1_000_000).toFixed(2)} MB`);
  if (size > MAX_BYTES) {
    console.error(`That is more than ${MAX_BYTES / 1_000_000} MB.`);
    process.exitCode = 1;
  }
} finally {
  await rm(staging, { recursive: true, force: true });
}

/** Removes the fields that are needed only for development. */
async function withoutDevelopment(file: string): Promise<void> {
  const manifest = z.record(z.string(), z.unknown()).parse(JSON.parse(await readFile(file, 'utf8')));
  const { scripts: _scripts, devDependencies: _dependencies, allowScripts: _allow, ...rest } = manifest;
  await writeFile(file, JSON.stringify(rest, undefined, 2));
}

/** Names the packages whose code is in the bundles. */
async function writeNotices(bundlesFile: string, file: string): Promise<void> {
  const bundles = z
    .record(z.string(), z.object({ inputs: z.array(z.string()) }))
    .parse(JSON.parse(await readFile(bundlesFile, 'utf8')));
  const packages = await bundledPackages(Object.values(bundles).flatMap(({ inputs }) => inputs));
  const { source, version, license } = PricesNotice.parse(JSON.parse(await readFile(PRICES, 'utf8')));
  const data = { name: `${source} (data only)`, version, license: 'MIT', text: license };
  await writeFile(file, thirdPartyNotices([...packages, data]));
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawn.sync(command, [...args], { cwd, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${path.basename(command)} ended with ${status}.`);
}
