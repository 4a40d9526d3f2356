/**
 * Runs the tests that a change can break, nearest first, for about a minute: `npm run test:changed [--
 * REVISION]`. A file has changed if it differs from the merge base with REVISION (default `main`), or is
 * uncommitted or new. A test is affected if it has changed, is in the folder of the same name below `test`,
 * or imports a changed file at any depth. Lists the tests that were skipped for lack of time; `npm test` runs
 * them all. Exits as mocha does.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '..');
const BUDGET_MS = 60_000;

/** The assumed time of a file that has not been run here yet. */
const UNKNOWN_MS = 3_000;

/** Rings that open windows or break servers take minutes per file. */
const LEFT_OUT = ['test/e2e/**', 'test/vscode/**', 'test/faults/**', 'test/matrix/**'];

const changed = changedFiles(process.argv[2] ?? 'main');
const tests = globSync('test/**/*.test.ts', { cwd: root, exclude: LEFT_OUT }).toSorted();
const imported = await importsOf(tests);
const took = durations();
const concerned = tests
  .map((file) => ({ file, distance: distanceOf(file), ms: took[file] ?? UNKNOWN_MS }))
  .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
  .toSorted((a, b) => a.distance - b.distance || a.ms - b.ms);
let sumMs = 0;
const chosen = concerned.filter(({ distance, ms }, index) => {
  sumMs += ms;
  return distance === 0 || index === 0 || sumMs <= BUDGET_MS;
});
console.log(
  `${changed.length} changed files affect ${concerned.length} test files; running ${chosen.length}, nearest first.`,
);
const left = concerned.filter((one) => !chosen.includes(one));
if (left.length > 0) console.log(`Left for npm test: ${left.map(({ file }) => file).join(', ')}`);
process.exitCode = chosen.length === 0 ? 0 : runMocha(chosen.map(({ file }) => file));

function changedFiles(revision: string): string[] {
  const base = git('merge-base', 'HEAD', revision);
  const lines = `${git('diff', '--name-only', base)}\n${git('ls-files', '--others', '--exclude-standard')}`;
  return [...new Set(lines.split('\n').filter((line) => line !== ''))];
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  return stdout.trim();
}

/** For each test file, the files of this repository that it imports, with the number of imports between them. */
async function importsOf(files: readonly string[]): Promise<Map<string, Map<string, number>>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...files],
    bundle: true,
    metafile: true,
    write: false,
    outdir: 'test-results/imports',
    packages: 'external',
    platform: 'node',
    format: 'esm',
    loader: { '.css': 'empty' },
    logLevel: 'silent',
  });
  return new Map(files.map((file) => [file, distancesFrom(file)]));

  function distancesFrom(file: string): Map<string, number> {
    const distances = new Map([[file, 0]]);
    for (const [from, distance] of distances) {
      for (const { path: to } of metafile.inputs[from]?.imports ?? []) {
        if (!distances.has(to)) distances.set(to, distance + 1);
      }
    }
    return distances;
  }
}

/**
 * 0 for a changed test, 1 for a test in the area of a changed file, otherwise the number of imports between
 * them.
 */
function distanceOf(file: string): number {
  const distances = imported.get(file);
  return Math.min(
    ...changed.map((one) =>
      areaOf(one) === path.posix.dirname(file)
        ? Math.min(1, distances?.get(one) ?? 1)
        : (distances?.get(one) ?? Number.POSITIVE_INFINITY),
    ),
  );
}

/** `test/server/runs` for `src/server/runs/ledger/row.ts`, if that is the deepest such folder there is. */
function areaOf(file: string): string | undefined {
  const parts = path.posix.dirname(file).split('/');
  if (parts[0] !== 'src') return undefined;
  for (let depth = parts.length; depth > 1; depth--) {
    const folder = ['test', ...parts.slice(1, depth)].join('/');
    if (existsSync(path.join(root, folder))) return folder;
  }
  return undefined;
}

/** How long files took when `npm test` was last run here, in ms. */
function durations(): Readonly<Record<string, number>> {
  const file = path.join(root, 'test-results', 'durations.json');
  return existsSync(file)
    ? z.record(z.string(), z.number()).parse(JSON.parse(readFileSync(file, 'utf8')))
    : {};
}

function runMocha(files: readonly string[]): number {
  const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const args = [mocha, '--timeout', '120000', ...files];
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
