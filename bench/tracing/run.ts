// `node bench/tracing/run.ts [names]`: measures tracing, compared with a floor or with itself at other sizes; see
// bench/README.md.
import { ingestion } from './ingestion.ts';
import { largeTrace } from './large-trace.ts';
import { manyRuns } from './many-runs.ts';
import { purgeMeanwhile } from './purge-meanwhile.ts';
import { type Line, printLines } from './report.ts';

const MEASUREMENTS: Readonly<Record<string, () => Promise<Line[]>>> = {
  ingestion: () => ingestion(20),
  'large-trace': largeTrace,
  'many-runs': () => manyRuns([10_000, 100_000, 1_000_000]),
  'purge-meanwhile': () => purgeMeanwhile(100_000),
};

// The recording is what the SDK sends when it traces.
process.env.LANGSMITH_TRACING = 'true';
const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name} …`);
  printLines(await measure());
}
