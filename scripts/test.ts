/**
 * Runs the test rings and sums them up: `node scripts/test.ts [ring …]`, all of them when none is named.
 * Ends with the line `N passed, N failed, N skipped`; exits 1 when anything failed.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';

const Counts = z.object({ passed: z.int(), failed: z.int(), skipped: z.int() });
type Counts = z.output<typeof Counts>;

type Ring =
  /** Commands that pass or fail as a whole; each counts as one test. */
  | {
      readonly name: string;
      readonly kind: 'checks';
      readonly commands: Readonly<Record<string, readonly string[]>>;
    }
  | {
      readonly name: string;
      readonly kind: 'mocha';
      readonly files: string;
      readonly args?: readonly string[];
    }
  /** A runner of its own that prints the closing line itself. */
  | { readonly name: string; readonly kind: 'runner'; readonly command: readonly string[] };

const root = path.resolve(import.meta.dirname, '..');
const bin = (name: string) =>
  path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

const RINGS: readonly Ring[] = [
  {
    name: 'static',
    kind: 'checks',
    commands: {
      'types of Node code': [bin('tsc'), '-p', 'tsconfig.json'],
      'types of webviews': [bin('tsc'), '-p', 'src/webviews/tsconfig.json'],
      'format, lint, and who imports whom': [bin('biome'), 'check', '.'],
      'protocol types are up to date': [process.execPath, 'scripts/generate-protocol.ts', '--check'],
      'strings are collected for translation': [process.execPath, 'scripts/l10n.ts', '--check'],
    },
  },
  {
    name: 'unit',
    kind: 'mocha',
    files:
      'test/{architecture,bench,client,contract,extension,language-server,launcher,process,project,support,webviews}/**/*.test.ts',
  },
  { name: 'server', kind: 'mocha', files: 'test/{server,cli}/**/*.test.ts' },
  {
    name: 'runtime',
    kind: 'mocha',
    files: 'test/{runtime,examples}/**/*.test.ts',
    args: ['--timeout', '180000'],
  },
  {
    name: 'conformance',
    kind: 'mocha',
    files: 'test/conformance/**/*.test.ts',
    args: ['--timeout', '120000'],
  },
  { name: 'faults', kind: 'mocha', files: 'test/faults/**/*.test.ts', args: ['--timeout', '300000'] },
  { name: 'vscode', kind: 'runner', command: [process.execPath, 'test/vscode/run.ts'] },
  {
    name: 'e2e',
    kind: 'mocha',
    files: 'test/e2e/**/*.test.ts',
    args: ['--timeout', '180000', '--retries', '2'],
  },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !RINGS.some((ring) => ring.name === name));
if (unknown.length > 0) {
  console.error(`No ring ${unknown.join(', ')}; there are ${RINGS.map((ring) => ring.name).join(', ')}.`);
  process.exit(2);
}

const total: Counts = { passed: 0, failed: 0, skipped: 0 };
for (const ring of RINGS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const started = performance.now();
  console.log(`\n=== ${ring.name}`);
  const counts = await run(ring);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `=== ${ring.name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped in ${seconds} s`,
  );
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function run(ring: Ring): Promise<Counts> {
  switch (ring.kind) {
    case 'checks':
      return runChecks(ring.commands);
    case 'mocha':
      return runMocha(ring.files, ring.args ?? []);
    case 'runner':
      return runRunner(ring.command);
  }
}

async function runChecks(commands: Readonly<Record<string, readonly string[]>>): Promise<Counts> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, command] of Object.entries(commands)) {
    const { code, output } = await execute(command, 'quiet');
    if (code === 0) counts.passed++;
    else counts.failed++;
    console.log(`  ${code === 0 ? 'ok  ' : 'FAIL'} ${name}`);
    if (code !== 0) console.log(output);
  }
  return counts;
}

/** A ring whose runner dies without counts has failed, whatever it printed. */
async function runMocha(files: string, args: readonly string[]): Promise<Counts> {
  const found = globSync(files, { cwd: root }).toSorted();
  if (found.length === 0) return { passed: 0, failed: 0, skipped: 0 };
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-counts-'));
  const file = path.join(folder, 'counts.json');
  const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const { code } = await execute([process.execPath, mocha, ...args, ...found], 'shown', {
    AGENT_HARBOR_TEST_COUNTS: file,
  });
  const counts = await readFile(file, 'utf8').then(
    (text) => Counts.parse(JSON.parse(text)),
    () => ({ passed: 0, failed: 1, skipped: 0 }),
  );
  await rm(folder, { recursive: true });
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

async function runRunner(command: readonly string[]): Promise<Counts> {
  const { code, output } = await execute(command, 'shown');
  const line = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1);
  if (line === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const [, passed, failed, skippedTests] = line.map(Number);
  const counts = {
    passed: passed ?? 0,
    failed: failed ?? 0,
    skipped: Number.isNaN(skippedTests) ? 0 : (skippedTests ?? 0),
  };
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function execute(
  [file = '', ...args]: readonly string[],
  show: 'shown' | 'quiet',
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && file.endsWith('.cmd'),
    });
    let output = '';
    for (const [stream, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        output += text;
        if (show === 'shown') to.write(text);
      });
    }
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
