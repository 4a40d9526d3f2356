import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Bench, type Prepared } from './harness/bench.ts';
import { Children } from './harness/children.ts';
import type { Measurement } from './harness/measurement.ts';
import { machine, ratioTable, spreadTable, writeResults } from './harness/report.ts';
import type { Row } from './harness/row.ts';
import { type Subject, type SubjectName, subjectNames } from './harness/subject.ts';
import { coldStart } from './measurements/cold-start.ts';
import { thousandCustomEvents } from './measurements/custom-events.ts';
import { firstEventOfWork } from './measurements/emit-then-work.ts';
import { longThread } from './measurements/long-thread.ts';
import { memory } from './measurements/memory.ts';
import { streamedMessages } from './measurements/messages.ts';
import { oneNodeRun } from './measurements/one-node-run.ts';
import { openStreams } from './measurements/open-streams.ts';
import { searchAtSize } from './measurements/search-at-size.ts';
import { tenNodeRun } from './measurements/ten-node-run.ts';
import { throughput } from './measurements/throughput.ts';
import { floorGraph } from './subjects/floor-graph.ts';
import { floorHttp } from './subjects/floor-http.ts';
import { ours, oursTraced } from './subjects/ours.ts';
import { peer } from './subjects/peer.ts';
import { pythonSubjects } from './subjects/python.ts';

const measurements: readonly Measurement[] = [
  coldStart,
  oneNodeRun,
  tenNodeRun,
  throughput,
  thousandCustomEvents,
  firstEventOfWork,
  streamedMessages,
  searchAtSize,
  longThread,
  openStreams,
  memory,
];
const nodeSubjects: readonly Subject[] = [ours, oursTraced, peer, floorGraph, floorHttp];

interface Options {
  readonly language: 'node' | 'python';
  readonly subjects: readonly SubjectName[];
  readonly rounds: number;
  readonly out: string;
}

const command = new Command('npm run bench --')
  .description('Measures this project beside its peer and its floors.')
  .argument(
    '[filters...]',
    `parts of names of measurements: ${measurements.map(({ name }) => name).join(', ')}`,
  )
  .option('--subjects <names>', `of ${subjectNames.join(',')}`, subjectList, [...subjectNames])
  .addOption(
    new Option('--language <language>', 'which twin of the graphs')
      .choices(['node', 'python'])
      .default('node'),
  )
  .option('--rounds <n>', 'turns of each subject', positiveInteger, 10)
  .option('--out <file>', 'where the results go as JSON', path.join('test-results', 'bench.json'));
command.parse();

const children = new Children({ graceMs: 10_000, report: (sentence) => console.error(sentence) });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await children.stopAll();
    process.exit(1);
  });
}
try {
  await main(command.args, command.opts<Options>());
} finally {
  await children.stopAll();
}

async function main(filters: readonly string[], options: Options): Promise<void> {
  const chosen = measurements.filter(
    ({ name }) => filters.length === 0 || filters.some((filter) => name.includes(filter)),
  );
  if (chosen.length === 0) command.error(`No measurement is named like ${filters.join(' or ')}.`);
  const { prepared, leftOut } = await prepare(
    options.language === 'python' ? pythonSubjects : nodeSubjects,
    options.subjects,
  );

  const rows: Row[] = [];
  for (const measurement of chosen) {
    console.log(`\n${measurement.name} …`);
    const bench = new Bench({ subjects: prepared, rounds: options.rounds, children });
    const measured = await measurement.run(bench);
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

/** Installs what the chosen subjects need; one that cannot be had is left out with one line that says why. */
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
