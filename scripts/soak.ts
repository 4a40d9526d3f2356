/**
 * Kills servers and runtimes a thousand times (or as often as said) and reports: `npm run soak [kills] [seed]`; then the
 * storage of traces half as often while it takes spans in, and half as often while it purges.
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
const mocha = spawn(
  process.execPath,
  [path.join(root, 'node_modules/mocha/bin/mocha.js'), 'test/faults/tracing.test.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, AGENT_HARBOR_FAULTS: String(Math.ceil(Number(kills) / 2)) },
  },
);
const [code] = (await once(mocha, 'exit')) as [number | null];
process.exit(code ?? 1);
