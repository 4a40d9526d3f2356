/**
 * Runs the test rings and prints a summary: `npx node scripts/test.ts [ring …]`. Without names, it runs all
 * rings, without the files that take longest unless `--all` is given. A named ring runs completely. The files
 * of a ring are grouped into parts of a few minutes, which run side by side, because tests mostly wait; each
 * line then begins with its part. `--update-long-files` stores how long files took, by which they are
 * grouped. A file in which something failed is run once more as a whole when nothing else runs, and that
 * result counts, because the machine may cause one failure in thousands. The first failure is reported as
 * retried, never left out. Printed at the end: the rings with the processor time and the processes that they
 * took (also in `test-results/processor-time.json`), the files that took longest, and once more the failed
 * and retried tests. The last line is `N passed, N failed, N skipped`; exits with 1 if anything failed.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { keepLongFiles, type Part, partsOf, Queue } from './rings/parts.ts';
import { ProcessorTimes } from './rings/processor-time.ts';
import {
  add,
  counts,
  failedFiles,
  type Incident,
  NOTHING,
  type Result,
  type RingFile,
} from './rings/results.ts';
import { ALL_LINES, filesOf, RINGS, root } from './rings/rings.ts';
import { runAgain, runPart } from './rings/run-part.ts';

/**
 * The number of parts that run at the same time: three use two cores fully, and with more, tests that depend
 * on the clock fail.
 */
const LANES = 3;

/** If more files fail than this, the machine is not the cause. */
const MOST_AGAIN = 10;

const LISTED_FILES = 20;

const LISTED_PROGRAMS = 6;

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    'update-long-files': { type: 'boolean', default: false },
  },
});
const unknown = wanted.filter((name) => !RINGS.some((ring) => ring.name === name));
if (unknown.length > 0) {
  console.error(`Unknown ring ${unknown.join(', ')}. Rings: ${RINGS.map((ring) => ring.name).join(', ')}.`);
  process.exit(2);
}

const rings = RINGS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const isWhole = options.all || wanted.length > 0;
if (isWhole) process.env[ALL_LINES] = '1';
const parts = partsOf(rings, isWhole);
const laneCount = Math.min(LANES, parts.length);
const longestLabel = Math.max(...parts.map(({ label }) => label.length));
const queue = new Queue(parts, laneCount);
const progress = new Map(
  rings.map(({ name }) => {
    const left = parts.filter(({ ring }) => ring.name === name).length;
    return [name, { result: NOTHING, left, startedAt: 0 }];
  }),
);
const times = ProcessorTimes.start();
await Promise.all(Array.from({ length: laneCount }, runLane));
const total = await onceMore([...progress.values()].map(({ result }) => result).reduce(add, NOTHING));
await tellProcessorTimes();
await keepDurations(total.files);
tellLongest(total.files);
tell('tried again', total.retries);
tell('failed', total.failures);
if (!isWhole) tellLeft();
console.log(`\n${counts(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;

/** Runs parts, one after the other, as long as there is one that may begin. */
async function runLane(): Promise<void> {
  for (let part = queue.take(); part !== undefined; part = queue.take()) {
    begun(part);
    const result = await runPart(part, { print: printer(part.label), env: lanePatience() });
    queue.ended(part);
    ended(part, result);
  }
}

function begun(part: Part): void {
  const ring = progress.get(part.ring.name);
  if (ring !== undefined) ring.startedAt ||= performance.now();
  const files = 'files' in part && part.files.length > 1 ? `: ${part.files.length} files` : '';
  printer(part.label)(`=== ${part.label}${files}`);
}

/** After the last part of a ring, prints the result of the whole ring. */
function ended(part: Part, result: Result): void {
  const ring = progress.get(part.ring.name);
  if (ring === undefined) return;
  ring.result = add(ring.result, result);
  ring.left -= 1;
  if (ring.left > 0) return;
  const seconds = Math.round((performance.now() - ring.startedAt) / 1000);
  printer(part.ring.name)(`=== ${part.ring.name}: ${counts(ring.result)} in ${seconds} s`);
}

async function onceMore(first: Result): Promise<Result> {
  const failed = failedFiles(first);
  if (failed.length > MOST_AGAIN) return first;
  let result = first;
  for (const ring of rings) {
    const files = failed.filter((file) => file.ring === ring.name).map(({ file }) => file);
    if (files.length === 0 || ring.kind !== 'mocha') continue;
    console.log(`\n=== ${ring.name}, once more: ${files.map(relative).join(', ')}`);
    const print = printer(ring.name);
    for (const group of ring.isFileAlone ? files.map((file) => [file]) : [files])
      result = await runAgain(ring, group, result, { print, env: lanePatience() });
  }
  return result;
}

/** Prints a line, after the name of its part if there are several lanes. */
function printer(label: string): (line: string) => void {
  return laneCount > 1 ? (line) => console.log(`${label.padEnd(longestLabel)} | ${line}`) : console.log;
}

/** Tests that run in parallel may wait longer, unless the variable is already set. */
function lanePatience(): Record<string, string> {
  const said = process.env.AGENT_HARBOR_TEST_PATIENCE;
  return laneCount > 1 && said === undefined ? { AGENT_HARBOR_TEST_PATIENCE: String(LANES) } : {};
}

function tellLeft(): void {
  const files = (withLong: boolean) =>
    rings.flatMap((ring) => (ring.kind === 'mocha' ? filesOf(ring, withLong) : []));
  const left = files(true).length - files(false).length;
  console.log(
    `\nLeft for npm run test:all: ${left} test files that take longest, and LangGraph between its oldest and newest line.`,
  );
}

function tell(what: string, incidents: readonly Incident[]): void {
  if (incidents.length === 0) return;
  console.log(`\n=== ${what}`);
  for (const { title, error } of incidents) {
    console.log(`\n  ${title}\n    ${error.trimEnd().replaceAll('\n', '\n    ')}`);
  }
}

/**
 * The processor time of a test is about the same on any machine; its duration depends on what else is
 * running.
 */
async function tellProcessorTimes(): Promise<void> {
  if (times === undefined) {
    console.log('\nProcessor time was not measured: it is read from /proc, which only Linux has.');
    return;
  }
  times.stop();
  const run = [...progress].filter(([, { startedAt }]) => startedAt > 0);
  const taken = Object.fromEntries(run.map(([name]) => [name, times.of(name)]));
  console.log('\n=== processor time in seconds, by ring and program (starts)');
  for (const [name, { seconds, programs }] of Object.entries(taken).toSorted(
    ([, a], [, b]) => b.seconds - a.seconds,
  )) {
    const most = Object.entries(programs)
      .slice(0, LISTED_PROGRAMS)
      .map(([program, { seconds, starts }]) => `${Math.round(seconds)} ${program} (${starts})`);
    console.log(`  ${String(Math.round(seconds)).padStart(5)} ${name}: ${most.join(', ')}`);
  }
  const folder = path.join(root, 'test-results');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'processor-time.json'), `${JSON.stringify(taken, null, 2)}\n`);
}

/**
 * Stores durations for `test:changed`, which runs the tests that fit into a minute. Durations of rings that
 * were not run are kept.
 */
async function keepDurations(files: readonly RingFile[]): Promise<void> {
  const target = path.join(root, 'test-results', 'durations.json');
  const known = await readFile(target, 'utf8').then(JSON.parse, () => ({}));
  const measured = files.map(({ file, tookMs }) => [relative(file), Math.round(tookMs)]);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, `${JSON.stringify({ ...known, ...Object.fromEntries(measured) }, null, 2)}\n`);
  if (options['update-long-files'])
    await keepLongFiles(files.map((one) => ({ ...one, file: relative(one.file) })));
}

function relative(file: string): string {
  return path.relative(root, file).replaceAll(path.sep, '/');
}

function tellLongest(files: readonly RingFile[]): void {
  if (files.length < 2) return;
  console.log('\n=== took longest, in seconds');
  for (const { ring, file, tookMs } of files.toSorted((a, b) => b.tookMs - a.tookMs).slice(0, LISTED_FILES)) {
    console.log(`  ${String(Math.round(tookMs / 1000)).padStart(4)} ${ring}: ${path.relative(root, file)}`);
  }
}
