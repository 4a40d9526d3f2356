/**
 * Runs the test rings and sums them up: `npx node scripts/test.ts [ring …]`, all of them when none is named.
 * Three rings run side by side, because tests mostly wait; each line then begins with its ring.
 * At the end: the rings with the processor time and the processes that they took (also in
 * `test-results/processor-time.json`), the files that took longest, and failed and retried tests again. The last line
 * is `N passed, N failed, N skipped`; exits 1 when anything failed.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { ProcessorTimes, RING_VARIABLE } from './processor-time.ts';

/** A test and what it was thrown. */
const Incident = z.object({ title: z.string(), error: z.string() });
type Incident = z.output<typeof Incident>;

const FileResult = z.object({
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  failures: z.array(Incident),
  retries: z.array(Incident),
  tookMs: z.number(),
});
type FileResult = z.output<typeof FileResult>;

/** By test file. Written by `test/support/result-reporter.mjs`. */
const Results = z.record(z.string(), FileResult);
type Results = z.output<typeof Results>;

/** A test file in a ring. */
interface TimedFile {
  readonly ring: string;
  readonly file: string;
  readonly tookMs: number;
}

type Result = Omit<FileResult, 'tookMs'> & { readonly files: readonly TimedFile[] };

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
      readonly files: string | readonly string[];
      readonly args?: readonly string[];
      /**
       * How often a test that failed is tried again; not at all by default. With retries, a file with a test or hook
       * that failed nevertheless is run once more as a whole, because it may have spoiled the window that its tests share.
       */
      readonly retries?: number;
    }
  /** A runner of its own that prints the closing line itself. */
  | { readonly name: string; readonly kind: 'runner'; readonly command: readonly string[] };

const root = path.resolve(import.meta.dirname, '..');
const bin = (name: string) =>
  path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

/** What needs PostgreSQL, which is a ring of its own wherever the files are. */
const TEAM = [
  'test/{cli,faults,examples}/team*.test.ts',
  'test/server/team-image.test.ts',
  'test/server/storage/words.test.ts',
  'test/server/team/postgres/**/*.test.ts',
  'test/server/**/shared-*.test.ts',
  'test/server/agent-server/runs/run-scheduler.test.ts',
  'test/server/http/change-feed.test.ts',
  'test/conformance/*-on-postgres.test.ts',
];

/** In the order in which they are begun: the longest first, so that all lanes end at about the same time. */
const RINGS: readonly Ring[] = [
  {
    name: 'e2e',
    kind: 'mocha',
    files: 'test/e2e/**/*.test.ts',
    args: ['--timeout', '180000'],
    retries: 2,
  },
  {
    name: 'server',
    kind: 'mocha',
    files: 'test/{server,cli}/**/*.test.ts',
    args: ['--timeout', '120000'],
  },
  { name: 'team', kind: 'mocha', files: TEAM, args: ['--timeout', '300000'] },
  {
    name: 'static',
    kind: 'checks',
    commands: {
      'types of Node code': [bin('tsc'), '-p', 'tsconfig.json'],
      'types of webviews': [bin('tsc'), '-p', 'src/webviews/tsconfig.json'],
      'format, lint, and who imports whom': [bin('biome'), 'check', '.'],
      'protocol types are up to date': [process.execPath, 'scripts/generate-protocol.ts', '--check'],
      'the structure of state.db is up to date': [
        process.execPath,
        'scripts/generate-structure.ts',
        '--check',
      ],
      'the linter and CONTRIBUTING say who may import whom': [
        process.execPath,
        'scripts/layers.ts',
        '--check',
      ],
      'folders of src go downwards': [process.execPath, 'scripts/structure.ts', '--check'],
      'comments begin with their subject': [process.execPath, 'scripts/comments.ts'],
      'strings are collected for translation': [process.execPath, 'scripts/l10n.ts', '--check'],
      'SECURITY.md says which right each endpoint asks for': [
        process.execPath,
        'scripts/rights-table.ts',
        '--check',
      ],
      'every command and option is documented': [process.execPath, 'scripts/cli-reference.ts', '--check'],
      'every option of the server is documented': [
        process.execPath,
        'scripts/server-reference.ts',
        '--check',
      ],
    },
  },
  {
    name: 'unit',
    kind: 'mocha',
    args: ['--timeout', '60000'],
    files:
      'test/{architecture,bench,client,containers,deploy,evaluation,example-files,experiments,extension,images,language-server,launcher,process,project,purge,replay,run-files,support,terms,webviews}/**/*.test.ts',
  },
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
  {
    // The suites of tracing again, with the other database.
    name: 'team-traces',
    kind: 'mocha',
    files: ['test/server/{tracing,purging}/*.test.ts', 'test/server/tracing/runs/attempts.test.ts'],
    args: ['--require', './test/support/on-postgres.ts', '--timeout', '300000'],
  },
  { name: 'faults', kind: 'mocha', files: 'test/faults/**/*.test.ts', args: ['--timeout', '300000'] },
  { name: 'vscode', kind: 'runner', command: [process.execPath, 'test/vscode/run.ts'] },
];

/** Rings run side by side: one more than a usual machine of two cores could use if tests never waited. */
const LANES = 3;

const LISTED_FILES = 20;

const LISTED_PROGRAMS = 6;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !RINGS.some((ring) => ring.name === name));
if (unknown.length > 0) {
  console.error(`Unknown ring ${unknown.join(', ')}. Rings: ${RINGS.map((ring) => ring.name).join(', ')}.`);
  process.exit(2);
}

const NOTHING: Result = { passed: 0, failed: 0, skipped: 0, failures: [], retries: [], files: [] };
const rings = RINGS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const laneCount = Math.min(LANES, rings.length);
const left = rings.values();
const times = ProcessorTimes.start();
const total = (await Promise.all(Array.from({ length: laneCount }, runLane))).flat().reduce(add, NOTHING);
await tellProcessorTimes();
await keepDurations(total.files);
tellLongest(total.files);
tell('tried again', total.retries);
tell('failed', total.failures);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 ? 1 : 0;

function tell(what: string, incidents: readonly Incident[]): void {
  if (incidents.length === 0) return;
  console.log(`\n=== ${what}`);
  for (const { title, error } of incidents) {
    console.log(`\n  ${title}\n    ${error.trimEnd().replaceAll('\n', '\n    ')}`);
  }
}

/** Processor time is what a test costs on any machine; how long it takes depends on what runs beside it. */
async function tellProcessorTimes(): Promise<void> {
  if (times === undefined) {
    console.log('\nProcessor time was not measured: it is read from /proc, which only Linux has.');
    return;
  }
  times.stop();
  const taken = Object.fromEntries(rings.map(({ name }) => [name, times.of(name)]));
  console.log('\n=== processor time of all processes, in seconds, and the programs that were started most');
  for (const [name, { seconds, starts }] of Object.entries(taken).toSorted(
    ([, a], [, b]) => b.seconds - a.seconds,
  )) {
    const most = Object.entries(starts)
      .slice(0, LISTED_PROGRAMS)
      .map(([program, count]) => `${count} ${program}`);
    console.log(`  ${String(Math.round(seconds)).padStart(5)} ${name}: ${most.join(', ')}`);
  }
  const folder = path.join(root, 'test-results');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'processor-time.json'), `${JSON.stringify(taken, null, 2)}\n`);
}

/** Kept for `test:changed`, which runs what fits into a minute. Rings that were not run keep theirs. */
async function keepDurations(files: readonly TimedFile[]): Promise<void> {
  const target = path.join(root, 'test-results', 'durations.json');
  const known = await readFile(target, 'utf8').then(JSON.parse, () => ({}));
  const measured = files.map(({ file, tookMs }) => [
    path.relative(root, file).replaceAll(path.sep, '/'),
    Math.round(tookMs),
  ]);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, `${JSON.stringify({ ...known, ...Object.fromEntries(measured) }, null, 2)}\n`);
}

function tellLongest(files: readonly TimedFile[]): void {
  if (files.length < 2) return;
  console.log('\n=== took longest, in seconds');
  for (const { ring, file, tookMs } of files.toSorted((a, b) => b.tookMs - a.tookMs).slice(0, LISTED_FILES)) {
    console.log(`  ${String(Math.round(tookMs / 1000)).padStart(4)} ${ring}: ${path.relative(root, file)}`);
  }
}

/** Runs rings, one after the other, for as long as one is left that no other lane has begun. */
async function runLane(): Promise<Result[]> {
  const results: Result[] = [];
  for (const ring of left) {
    const print = printer(ring.name);
    const started = performance.now();
    print(`=== ${ring.name}`);
    const result = await run(ring, print);
    const seconds = Math.round((performance.now() - started) / 1000);
    print(
      `=== ${ring.name}: ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped in ${seconds} s`,
    );
    results.push(result);
  }
  return results;
}

/** Prints a line, behind its ring's name where several lanes print. */
type Print = (line: string) => void;

function printer(ring: string): Print {
  const longest = Math.max(...RINGS.map(({ name }) => name.length));
  return laneCount > 1 ? (line) => console.log(`${ring.padEnd(longest)} | ${line}`) : console.log;
}

async function run(ring: Ring, print: Print): Promise<Result> {
  switch (ring.kind) {
    case 'checks':
      return runChecks(ring, print);
    case 'mocha':
      return runMocha(ring, print);
    case 'runner':
      return runRunner(ring, print);
  }
}

async function runChecks(
  { name, commands }: Extract<Ring, { kind: 'checks' }>,
  print: Print,
): Promise<Result> {
  const failures: Incident[] = [];
  for (const [title, command] of Object.entries(commands)) {
    const { code, output } = await execute(name, command, () => {});
    print(`  ${code === 0 ? 'ok  ' : 'FAIL'} ${title}`);
    if (code === 0) continue;
    output.split('\n').forEach(print);
    failures.push({ title, error: endOf(output) });
  }
  const failed = failures.length;
  return { ...NOTHING, passed: Object.keys(commands).length - failed, failed, failures };
}

async function runMocha(ring: Extract<Ring, { kind: 'mocha' }>, print: Print): Promise<Result> {
  const files = filesOf(ring);
  if (files.length === 0) return NOTHING;
  const { retries = 0 } = ring;
  const { ended, results } = await runFiles(ring, files, print);
  if (results === undefined) return broken(ring.name, ended);
  const again = Object.keys(results).filter((file) => file !== '' && (results[file]?.failed ?? 0) > 0);
  if (retries > 0 && again.length > 0) {
    print(`=== ${ring.name}: once more, in a fresh process: ${again.join(', ')}`);
    const second = await runFiles(ring, again, print);
    if (second.results === undefined) return add(sum(ring, results), broken(ring.name, second.ended));
    return sum(ring, { ...results, ...rerun(results, second.results) });
  }
  const result = refuseRetries(retries, sum(ring, results));
  return ended.code !== 0 && result.failed === 0 ? add(result, broken(ring.name, ended)) : result;
}

function filesOf({ name, files }: Extract<Ring, { kind: 'mocha' }>): string[] {
  const exclude = name === 'team' ? [] : TEAM;
  return globSync(files, { cwd: root, exclude }).toSorted();
}

/** @returns no results when mocha ended before it could write them */
async function runFiles(
  { name, args = [], retries = 0 }: Extract<Ring, { kind: 'mocha' }>,
  files: readonly string[],
  print: Print,
): Promise<{ readonly ended: Ended; readonly results: Results | undefined }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-result-'));
  const file = path.join(folder, 'result.json');
  const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const command = [process.execPath, mocha, ...args, '--retries', String(retries), ...files];
  const ended = await execute(name, command, print, {
    AGENT_HARBOR_TEST_RESULT: file,
    ...lanePatience(),
  });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  await rm(folder, { recursive: true });
  return { ended, results: text === undefined ? undefined : Results.parse(JSON.parse(text)) };
}

/** What the second runs of files say; what failed in the first is told with what was tried again. */
function rerun(first: Results, second: Results): Results {
  return Object.fromEntries(
    Object.entries(second).map(([file, result]) => {
      const { failures = [], retries = [] } = first[file] ?? {};
      return [file, { ...result, retries: [...retries, ...failures, ...result.retries] }];
    }),
  );
}

function sum({ name: ring }: Ring, results: Results): Result {
  return Object.entries(results)
    .map(([file, { tookMs, ...result }]) => ({ ...result, files: [{ ring, file, tookMs }] }))
    .reduce(add, NOTHING);
}

/** Rings that share the machine may wait three times as long for what comes, unless the variable says how long. */
function lanePatience(): Record<string, string> {
  const said = process.env.AGENT_HARBOR_TEST_PATIENCE;
  return laneCount > 1 && said === undefined ? { AGENT_HARBOR_TEST_PATIENCE: '3' } : {};
}

/** Outside of e2e a test that passes at a later try only, which it may ask for by `this.retries`, has failed. */
function refuseRetries(retries: number, result: Result): Result {
  if (retries > 0) return result;
  const known = new Set(result.failures.map(({ title }) => title));
  const flaky = new Map(
    result.retries.filter(({ title }) => !known.has(title)).map((one) => [one.title, one]),
  );
  return {
    ...result,
    passed: result.passed - flaky.size,
    failed: result.failed + flaky.size,
    failures: [...result.failures, ...flaky.values()],
  };
}

async function runRunner(
  { name, command }: Extract<Ring, { kind: 'runner' }>,
  print: Print,
): Promise<Result> {
  const ended = await execute(name, command, print, lanePatience());
  const line = [...ended.output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1);
  if (line === undefined) return broken(name, ended);
  const [, passed, failed, skipped = 0] = line.map((number) => Number(number ?? 0));
  const result = { ...NOTHING, passed: passed ?? 0, failed: failed ?? 0, skipped };
  if (ended.code === 0) return result;
  return result.failed === 0
    ? add(result, broken(name, ended))
    : { ...result, failures: broken(name, ended).failures };
}

/** A ring that ends without counts, or badly though no test failed, has failed as a whole, whatever it printed. */
function broken(name: string, { code, output }: Ended): Result {
  const title = `the ring ${name}, which ended with exit code ${code}`;
  return { ...NOTHING, failed: 1, failures: [{ title, error: endOf(output) }] };
}

function add(a: Result, b: Result): Result {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
    retries: [...a.retries, ...b.retries],
    files: [...a.files, ...b.files],
  };
}

function endOf(output: string): string {
  return output.trimEnd().split('\n').slice(-40).join('\n');
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

function execute(
  ring: string,
  [file = '', ...args]: readonly string[],
  print: Print,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, ...env, [RING_VARIABLE]: ring },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && file.endsWith('.cmd'),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        output += `${line}\n`;
        print(line);
      });
    }
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
