import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Bench, type Prepared } from './harness/bench.ts';
import { Children } from './harness/children.ts';
import type { Measurement } from './harness/measurement.ts';
import { machine, ratioTable, spreadTable, writeResults } from './harness/report.ts';
import type { Row } from './harness/row.ts';
import { type Subject, type SubjectName, subjectNames } from './harness/subject.ts';
import { TimePlan } from './harness/time-plan.ts';
import { coldStart } from './measurements/cold-start.ts';
import { thousandCustomEvents } from './measurements/custom-events.ts';
import { firstEventOfWork } from './measurements/emit-then-work.ts';
import { firstRun } from './measurements/first-run.ts';
import { longThread } from './measurements/long-thread.ts';
import { memory } from './measurements/memory.ts';
import { streamedMessages } from './measurements/messages.ts';
import { oneNodeRun } from './measurements/one-node-run.ts';
import { openStreams } from './measurements/open-streams.ts';
import { processorTime } from './measurements/processor-time.ts';
import { searchAtSize } from './measurements/search-at-size.ts';
import { tenNodeRun } from './measurements/ten-node-run.ts';
import { throughput } from './measurements/throughput.ts';
import { floorDurable } from './subjects/floor-durable.ts';
import { floorGraph } from './subjects/floor-graph.ts';
import { floorHttp } from './subjects/floor-http.ts';
import { before, ours, oursTraced } from './subjects/ours.ts';
import { peer } from './subjects/peer.ts';
import { pythonSubjects } from './subjects/python.ts';

const measurements: readonly Measurement[] = [
  coldStart,
  firstRun,
  oneNodeRun,
  tenNodeRun,
  processorTime,
  throughput,
  thousandCustomEvents,
  firstEventOfWork,
  streamedMessages,
  searchAtSize,
  longThread,
  openStreams,
  memory,
];

const MAX_ROUNDS = 10;
const MINUTES = 10;
/** The exit code of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

interface Options {
  readonly language: 'node' | 'python';
  readonly subjects: readonly SubjectName[];
  readonly before?: string;
  readonly rounds?: number;
  readonly minutes?: number;
  readonly out: string;
}

const command = new Command('npm run bench --')
  .description('Measures this project beside its peer and its floors.')
  .argument(
    '[filters...]',
    `parts of names of measurements: ${measurements.map(({ name }) => name).join(', ')}`,
  )
  .option('--subjects <names>', `of ${subjectNames.join(',')}`, subjectList, [...subjectNames])
  .option('--before <folder>', 'another checkout, built there, that takes turns as `before`', (folder) =>
    path.resolve(folder),
  )
  .addOption(
    new Option('--language <language>', 'which twin of the graphs')
      .choices(['node', 'python'])
      .default('node'),
  )
  .option(
    '--rounds <n>',
    `turns of each subject (default: up to ${MAX_ROUNDS}, as many as fit)`,
    positiveInteger,
  )
  .option(
    '--minutes <n>',
    `how long it may take (default: ${MINUTES}, or what the rounds take)`,
    positiveInteger,
  )
  .option('--out <file>', 'where the results go as JSON', path.join('test-results', 'bench.json'));
command.parse();

const children = new Children({ graceMs: 10_000, report: (sentence) => console.error(sentence) });
// Started processes do not get Ctrl-C themselves; a second Ctrl-C changes nothing.
let interrupted: Promise<never> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted ??= endEarly();
  });
}
try {
  await main(command.args, command.opts<Options>());
} finally {
  await interrupted;
  await children.stopAll();
}

async function endEarly(): Promise<never> {
  console.error('\nStopping…');
  await children.stopAll();
  process.exit(INTERRUPTED);
}

async function main(filters: readonly string[], options: Options): Promise<void> {
  const chosen = measurements.filter(
    ({ name }) => filters.length === 0 || filters.some((filter) => name.includes(filter)),
  );
  if (chosen.length === 0) command.error(`No measurement is named like ${filters.join(' or ')}.`);
  const { prepared, leftOut } = await prepare(
    options.language === 'python' ? pythonSubjects(options.before) : nodeSubjects(options.before),
    options.subjects,
  );

  const minutes = options.minutes ?? (options.rounds === undefined ? MINUTES : Number.POSITIVE_INFINITY);
  const plan = new TimePlan({
    measurements: chosen,
    subjects: prepared.map(({ subject }) => subject.name),
    rounds: options.rounds ?? MAX_ROUNDS,
    seconds: minutes * 60,
  });
  const [first] = chosen;
  if (first !== undefined) {
    const rounds = plan.rounds(first);
    console.log(
      `About ${duration(plan.seconds(rounds))} on two quiet cores, with ${rounds} rounds; fewer where it takes longer.`,
    );
  }

  const rows: Row[] = [];
  for (const measurement of chosen) {
    const rounds = plan.rounds(measurement);
    console.log(`\n${measurement.name}, about ${duration(plan.seconds(rounds, [measurement]))} …`);
    const startedAt = performance.now();
    const bench = new Bench({ subjects: prepared, rounds, children });
    const measured = await measurement.run(bench);
    if (interrupted !== undefined) return;
    plan.took(measurement, rounds, (performance.now() - startedAt) / 1_000);
    for (const [name, reason] of bench.failures)
      console.error(`${measurement.name}: ${name} failed: ${reason}`);
    if (bench.failures.size > 0) process.exitCode = 1;
    console.log(spreadTable(measured));
    rows.push(...measured);
  }
  console.log(`\n${new Date().toISOString().slice(0, 10)}, ${machine()}; medians\n\n${ratioTable(rows)}`);
  await writeResults(options.out, { rows, leftOut });
  console.log(`\nEverything is in ${options.out}.`);
}

function nodeSubjects(checkout?: string): Subject[] {
  return [
    ours,
    oursTraced,
    ...(checkout === undefined ? [] : [before(checkout)]),
    peer,
    floorDurable,
    floorGraph,
    floorHttp,
  ];
}

/** Installs what the chosen subjects need; a subject that cannot be installed is left out, and one line says why. */
async function prepare(subjects: readonly Subject[], names: readonly SubjectName[]) {
  const prepared: Prepared[] = [];
  const leftOut = new Map<SubjectName, string>();
  for (const subject of subjects) {
    if (!names.includes(subject.name)) continue;
    try {
      prepared.push({ subject, project: await subject.prepare() });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      leftOut.set(subject.name, reason);
      console.log(`${subject.name} is left out: ${reason}.`);
    }
  }
  return { prepared, leftOut };
}

function duration(seconds: number): string {
  return seconds < 100 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
}

function subjectList(text: string): SubjectName[] {
  return text.split(',').map((name) => {
    const known = subjectNames.find((subject) => subject === name.trim());
    if (!known) throw new InvalidArgumentError(`"${name}" is none of ${subjectNames.join(', ')}.`);
    return known;
  });
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It takes a whole number from 1 on.');
  return value;
}
