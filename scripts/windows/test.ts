/**
 * Runs tests on Windows' own Node: `npm run test:windows [FILE…]`, those of what differs there when none is named. On Windows
 * they are run as they are; on Linux under Wine, which is set up the first time (wine-node.sh: root, 4 GB, a quarter of an
 * hour). Where neither is possible, it says why in one line. Exits 1 when a test failed for another reason than Wine.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { knownDifference } from './known-differences.ts';
import { whyNot } from './why-not.ts';

/** Whatever asks for the platform, without what needs PostgreSQL, containers or VS Code. */
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

const Report = z.object({
  stats: z.object({ passes: z.int(), pending: z.int() }),
  failures: z.array(z.object({ fullTitle: z.string(), err: z.object({ message: z.string().default('') }) })),
});

const repository = path.resolve(import.meta.dirname, '..', '..');
const script = path.join(import.meta.dirname, 'wine-node.sh');
const report = path.join('test-results', 'windows.json');
const isWindows = process.platform === 'win32';

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
  const sum = { passed: 0, failed: 0, wine: 0, skipped: 0 };
  try {
    for (const file of files) count(file, sum);
  } finally {
    if (!isWindows) spawnSync(script, ['stop'], { stdio: 'ignore' });
  }
  console.log(
    `${sum.passed} passed, ${sum.failed} failed, ${sum.wine} failed for Wine, ${sum.skipped} skipped`,
  );
  return sum.failed === 0 ? 0 : 1;
}

function count(file: string, sum: { passed: number; failed: number; wine: number; skipped: number }): void {
  mkdirSync(path.dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const options = ['--reporter', 'json', '--reporter-option', `output=${report}`, file.replaceAll('\\', '/')];
  const [program, args] = isWindows
    ? [process.execPath, [path.join('node_modules', 'mocha', 'bin', 'mocha.js'), ...options]]
    : [script, ['test', ...options]];
  spawnSync(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { AGENT_HARBOR_TEST_PATIENCE: PATIENCE, LIMIT: String(FILE_SECONDS), ...process.env },
  });
  const read = existsSync(report)
    ? Report.safeParse(JSON.parse(readFileSync(report, 'utf8'))).data
    : undefined;
  if (read === undefined) {
    sum.failed++;
    console.log(`${file}: did not end`);
    return;
  }
  sum.passed += read.stats.passes;
  sum.skipped += read.stats.pending;
  for (const { fullTitle, err } of read.failures) {
    const why = isWindows ? undefined : knownDifference(fullTitle);
    if (why === undefined) sum.failed++;
    else sum.wine++;
    console.log(
      `${file}: ${fullTitle}\n    ${why === undefined ? err.message.split('\n')[0] : `Wine: ${why}`}`,
    );
  }
  console.log(`${file}: ${read.stats.passes} passed, ${read.failures.length} failed`);
}

process.exitCode = main(process.argv.slice(2));
