/**
 * Runs tests on the Windows build of Node: `npm run test:windows [FILE…]`, by default those of platform
 * differences. The files of a pattern run in one process. On Windows they run directly; on Linux under Wine,
 * which is set up the first time (wine-node.sh: root, 4 GB, a quarter of an hour). Where neither is possible,
 * it says why in one line. LIMIT is the time limit of a file in seconds (1200). Exits with 1 if a test failed
 * for a reason other than Wine.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { knownDifference } from './known-differences.ts';
import { whyNot } from './why-not.ts';

/** Tests of code that checks the platform, without those that need PostgreSQL, containers or VS Code. */
const DEFAULT = [
  'test/{process,launcher,project,cli,language-server}/**/!(team*).test.ts',
  'test/extension/activation/*.test.ts',
  'test/server/{starting,data-folder,server-arguments}.test.ts',
  'test/server/control-plane/builds/*.test.ts',
  'test/server/runtimes/{python,watch}/*.test.ts',
  'test/server/purging/verification.test.ts',
  'test/runtime/node/{errors,loading}/*.test.ts',
  'test/faults/{kill-9,killed-installations}.test.ts',
];
const FILE_SECONDS = 1_200;
/** Files with servers take up to four times as long as on Linux. */
const PATIENCE = '4';

/** The lines of mocha's reporter that are read: one per test, so that tests count even if their file does not end. */
const Line = z.union([
  z.tuple([z.literal('pass'), z.object({ fullTitle: z.string() })]),
  z.tuple([z.literal('fail'), z.object({ fullTitle: z.string(), err: z.string().default('') })]),
  z.tuple([z.literal('end'), z.object({ pending: z.int() })]),
]);

const repository = path.resolve(import.meta.dirname, '..', '..');
const script = path.join(import.meta.dirname, 'wine-node.sh');
const isWindows = process.platform === 'win32';

/** The number of characters of an error that are printed. */
const SHOWN_CHARS = 2_000;

interface Counts {
  passed: number;
  failed: number;
  wine: number;
  skipped: number;
}

function main(given: readonly string[]): number {
  const reason = whyNot({
    platform: process.platform,
    arch: process.arch,
    isRoot: process.getuid?.() === 0,
    searchPath: process.env.PATH ?? '',
  });
  if (reason !== undefined) {
    console.log(`Not run on Windows' Node: ${reason}`);
    return 0;
  }
  process.chdir(repository);
  const root = process.env.AGENT_HARBOR_WINE ?? '/var/tmp/agent-harbor-wine';
  if (!isWindows && !existsSync(path.join(root, 'root', 'prefix', 'drive_c', 'uv', 'uv.exe'))) {
    const { status } = spawnSync(script, ['setup'], { stdio: 'inherit' });
    if (status !== 0) return 1;
  }
  const files = given.length > 0 ? given : globSync(DEFAULT).sort();
  const sum: Counts = { passed: 0, failed: 0, wine: 0, skipped: 0 };
  try {
    for (const file of files) count(file, sum);
  } finally {
    if (!isWindows) spawnSync(script, ['stop'], { stdio: 'ignore' });
  }
  console.log(counts(sum));
  return sum.failed === 0 ? 0 : 1;
}

function count(file: string, sum: Counts): void {
  const options = ['--reporter', 'json-stream', file.replaceAll('\\', '/')];
  const [program, args] = isWindows
    ? [process.execPath, [path.join('node_modules', 'mocha', 'bin', 'mocha.js'), ...options]]
    : [script, ['test', ...options]];
  const { stdout } = spawnSync(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
    env: { AGENT_HARBOR_TEST_PATIENCE: PATIENCE, LIMIT: String(FILE_SECONDS), ...process.env },
  });
  const here: Counts = { passed: 0, failed: 0, wine: 0, skipped: 0 };
  let hasEnded = false;
  for (const line of linesOf(stdout)) {
    if (line[0] === 'pass') here.passed++;
    else if (line[0] === 'fail') tellFailure(file, line[1], here);
    else {
      hasEnded = true;
      here.skipped = line[1].pending;
    }
  }
  if (!hasEnded) {
    here.failed++;
    console.log(`${file}: did not end`);
  }
  sum.passed += here.passed;
  sum.failed += here.failed;
  sum.wine += here.wine;
  sum.skipped += here.skipped;
  console.log(`${file}: ${counts(here)}`);
}

function tellFailure(
  file: string,
  { fullTitle, err }: { fullTitle: string; err: string },
  here: Counts,
): void {
  const why = isWindows ? undefined : knownDifference(fullTitle, err);
  if (why === undefined) here.failed++;
  else here.wine++;
  console.log(`${file}: ${fullTitle}\n    ${why === undefined ? shortened(err) : `Wine: ${why}`}`);
}

/** The beginning of an error, which may contain the log of a server. */
function shortened(error: string): string {
  return error.slice(0, SHOWN_CHARS).trimEnd().replaceAll('\n', '\n    ');
}

/** Output of the tests may precede a line. */
function linesOf(output: string): z.output<typeof Line>[] {
  return [...output.matchAll(/\["(?:pass|fail|end)",\{.*\}\]\r?$/gm)]
    .map(([text]) => parsed(text))
    .filter((line) => line !== undefined);
}

function parsed(text: string): z.output<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function counts({ passed, failed, wine, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${wine} failed for Wine, ${skipped} skipped`;
}

process.exitCode = main(process.argv.slice(2));
