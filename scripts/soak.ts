/**
 * Kills servers and runtimes a thousand times, or as often as said, and reports:
 * `npm run soak -- [kills] [--seed <n>] [--minutes <n>]`. When the minutes are over no further kill begins, the report
 * says how many there were, and that is all. Else those of Python graphs follow, a tenth as often, and the storage of
 * traces half as often while it takes spans in, and half as often while it purges, and servers that build and roll out
 * twice each in a twentieth as many rounds; then the control plane's endpoints are sent that many requests each. Last,
 * the dialogs of deploying are left at every step.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { campaign } from '../test/faults/campaign.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, minutes: { type: 'string', default: '600' } },
});
const [kills = '1000'] = positionals;
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const started = performance.now();
const minutes = () => Math.round((performance.now() - started) / 6_000) / 10;
const until = started + Number(values.minutes) * 60_000;
console.log(`seed ${seed}`);
const report = await campaign(Number(kills), seed, {
  tell: (line) => console.log(`${minutes()} min: ${line}`),
  until,
});
console.log(JSON.stringify({ ...report, wanted: Number(kills), seed, minutes: minutes() }));
if (performance.now() > until) process.exit();

const root = path.resolve(import.meta.dirname, '..');

/** Runs a test of the faults with as many kills as are said in its environment. @returns its exit code. */
async function runTest(file: string, env: Record<string, string>): Promise<number> {
  const mocha = spawn(process.execPath, [path.join(root, 'node_modules/mocha/bin/mocha.js'), file], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code] = (await once(mocha, 'exit')) as [number | null];
  return code ?? 1;
}

const python = await runTest('test/faults/python.test.ts', {
  FAULT_KILLS: String(Math.ceil(Number(kills) / 10)),
  FAULT_SEED: String(seed),
});
const tracing = await runTest('test/faults/tracing.test.ts', {
  AGENT_HARBOR_FAULTS: String(Math.ceil(Number(kills) / 2)),
});
const controlPlane = await runTest('test/faults/control-plane.test.ts', {
  FAULT_KILLS: String(Math.ceil(Number(kills) / 20)),
});
const fuzzed = await runTest('test/server/control-plane/fuzz.test.ts', { FUZZ_RUNS: kills });
const dialogs = await runTest('test/e2e/deploy.test.ts', { AGENT_HARBOR_SOAK: '1' });
process.exit(python || tracing || controlPlane || fuzzed || dialogs);
