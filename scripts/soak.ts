/**
 * Kills servers and runtimes a thousand times (or as often as said) and reports: `npm run soak [kills] [seed]`; then those of
 * Python graphs a tenth as often, and the storage of traces half as often while it takes spans in, and half as often while
 * it purges, and servers that build and roll out twice each in a twentieth as many rounds; then the control plane's
 * endpoints are sent that many requests each. Last, the dialogs of deploying are left at every
 * step.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { campaign } from '../test/faults/campaign.ts';

const [kills = '1000', given] = process.argv.slice(2);
const seed = Number(given ?? Math.floor(Math.random() * 2 ** 31));
const started = performance.now();
console.log(`seed ${seed}`);
const report = await campaign(Number(kills), seed, (line) => console.log(line));
console.log(
  JSON.stringify({ ...report, seed, minutes: Math.round((performance.now() - started) / 6_000) / 10 }),
);

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
