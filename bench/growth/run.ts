// `node bench/growth/run.ts [names]`: measures how costs grow with the amount of data, ten times as much each
// time; see bench/README.md.
import { type Line, printLines } from '../tracing/report.ts';
import { assistants } from './assistants.ts';
import { checkpoints } from './checkpoints.ts';
import { events } from './events.ts';
import { readers } from './readers.ts';
import { states } from './states.ts';
import { threads } from './threads.ts';

const MEASUREMENTS: Readonly<Record<string, () => Promise<Line[]>>> = {
  events,
  readers,
  checkpoints,
  states,
  assistants,
  threads,
};

const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name} …`);
  printLines(await measure());
}
