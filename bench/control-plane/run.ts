// `node bench/control-plane/run.ts [names]`: measures deployments, each question beside a floor; see bench/README.md.
import { type Line, printLines } from '../tracing/report.ts';
import { idle } from './idle.ts';
import { isolation } from './isolation.ts';
import { redeploy } from './redeploy.ts';
import { rollOut } from './roll-out.ts';

const MEASUREMENTS: Readonly<Record<string, () => Promise<Line[]>>> = {
  redeploy,
  'roll-out': rollOut,
  idle,
  isolation,
};

const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name} …`);
  printLines(await measure());
}
