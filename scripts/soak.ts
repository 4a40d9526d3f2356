/**
 * Checks that take too long for every change: `npm run soak -- [kills] [--only <part>] [--seed <n>] [--minutes <n>]`.
 *
 * | part | check |
 * |---|---|
 * | `servers` | servers and runtimes are ended a thousand times, or `kills` times: half are killed, half are
 * told to stop |
 * | `python` | the same for those of Python graphs, a tenth as often |
 * | `traces` | the trace storage is killed half as often while it ingests spans, and half as often while it purges |
 * | `otlp` | two hours of OpenTelemetry runs that last from a second to twenty minutes; their spans arrive in any order, across restarts |
 * | `purge` | 176 purges of a data folder and 24 of PostgreSQL with an object store, while spans arrive, wait and are late |
 * | `control-plane` | servers that build and roll out are killed, in a twentieth as many rounds |
 * | `team` | three servers with one PostgreSQL under load; each of nine faults (killed, told to stop,
 * suspended, cut off, without notifications, with a wrong clock, PostgreSQL restarted or replaced by its
 * standby …) a twentieth as often; random clients of a shared database |
 * | `memory` | twenty times as many runs of every kind, after which the runtime uses no more memory than before |
 * | `recordings` | a gibibyte of answers is recorded, saved, opened and replayed in both languages, and no process keeps it in memory |
 * | `mixed` | an hour of clients of every kind, after which no process uses more memory than before |
 * | `streams` | each client reads as many answers from a model that never pauses |
 * | `requests` | each endpoint of the control plane gets as many requests |
 * | `dialogs` | every dialog of the extension is canceled at every step, and those that filter or save something are answered |
 * | `remote` | the extension's flows on a remote platform whose answers are slow, fail, or never come |
 * | `python-packages` | the packages that a project lacks are installed from the notification |
 * | `promptfoo` | its own runner and ours judge the same file |
 * | `themes` | screenshots of every panel in all four themes, checked with axe |
 *
 * Once the minutes are over, no further kill or part begins, and the report says how many kills there were.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { campaign } from '../test/faults/campaign.ts';
import { mixedLoad } from '../test/faults/mixed-load.ts';

const MIXED_MINUTES = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string', default: '600' },
  },
});
const kills = Number(positionals[0] ?? 1000);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const started = performance.now();
const minutes = () => Math.round((performance.now() - started) / 6_000) / 10;
const until = started + Number(values.minutes) * 60_000;
const root = path.resolve(import.meta.dirname, '..');
const timesFewer = (factor: number) => String(Math.ceil(kills / factor));

/** The parts by name; each returns whether it passed. */
const parts: Readonly<Record<string, () => Promise<boolean>>> = {
  servers: killServers,
  python: () =>
    run(['test/faults/python.test.ts'], { FAULT_KILLS: timesFewer(10), FAULT_SEED: String(seed) }),
  traces: () => run(['test/faults/tracing.test.ts'], { AGENT_HARBOR_FAULTS: timesFewer(2) }),
  otlp: () => run(['test/faults/otlp.test.ts'], { OTLP_SECONDS: '7200', FAULT_SEED: String(seed) }),
  purge: () =>
    run(['test/faults/purge-rounds.test.ts'], {
      PURGE_ROUNDS: '176',
      PURGE_TEAM_ROUNDS: '24',
      FAULT_SEED: String(seed),
    }),
  'control-plane': () =>
    run(['test/faults/control-plane.test.ts', 'test/faults/killed-installations.test.ts'], {
      FAULT_KILLS: timesFewer(20),
    }),
  team: async () => {
    const env = {
      TEAM_FAULTS: timesFewer(20),
      TEAM_CLIENTS: '16',
      FAULT_SEED: String(seed),
      SHARED_RUNS: String(kills),
    };
    return run(['test/faults/team-campaign.test.ts', 'test/server/team/runs/shared-runs.test.ts'], env);
  },
  memory: () => run(['test/runtime/node/memory.test.ts'], { MEMORY_RUNS: String(kills * 20) }),
  recordings: () => run(['test/matrix/long-recordings.test.ts'], { RECORDING_MEBIBYTES: '1024' }),
  mixed: loadMixed,
  streams: () => run(['test/conformance/streamed-text.test.ts'], { STREAM_RUNS: String(kills) }),
  requests: () => run(['test/server/control-plane/fuzz.test.ts'], { FUZZ_RUNS: String(kills) }),
  dialogs: async () => {
    const areDialogsLeft = await run(['test/matrix/dialogs.test.ts']);
    return (await run(['test/e2e/deploy.test.ts'], { AGENT_HARBOR_SOAK: '1' })) && areDialogsLeft;
  },
  remote: () => run(['test/matrix/remote-flows.test.ts']),
  'python-packages': () => run(['test/matrix/python-packages.test.ts']),
  promptfoo: () => run(['test/matrix/promptfoo.test.ts']),
  themes: () =>
    run(['test/e2e/run-panel.test.ts', 'test/e2e/trace-panel.test.ts'], { AGENT_HARBOR_THEMES: 'all' }),
};

const { only } = values;
if (only !== undefined && !(only in parts)) {
  console.error(`Unknown part ${only}. Parts: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
console.log(`seed ${seed}`);
const failed: string[] = [];
for (const [name, part] of Object.entries(parts)) {
  if ((only !== undefined && name !== only) || performance.now() > until) continue;
  console.log(`=== ${name}`);
  if (!(await part())) failed.push(name);
  console.log(`=== ${name}: ${failed.includes(name) ? 'failed' : 'passed'} after ${minutes()} min`);
}
process.exit(failed.length);

async function killServers(): Promise<boolean> {
  const report = await campaign(kills, seed, {
    tell: (line) => console.log(`${minutes()} min: ${line}`),
    until,
  });
  console.log(JSON.stringify({ ...report, wanted: kills, seed, minutes: minutes() }));
  return true;
}

async function loadMixed(): Promise<boolean> {
  const { runs, growth } = await mixedLoad(MIXED_MINUTES, (line) => console.log(line));
  console.log([`${runs} runs`, ...growth].join('\n'));
  return growth.length === 0;
}

/** Runs test files with additional environment variables. @returns whether all of them passed */
async function run(files: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<boolean> {
  // Only end-to-end tests are tried again, as in their ring.
  const retries = files.every((file) => file.startsWith('test/e2e/')) ? 2 : 0;
  const mocha = path.join(root, 'node_modules/mocha/bin/mocha.js');
  const ran = spawn(process.execPath, [mocha, '--retries', String(retries), ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code] = (await once(ran, 'exit')) as [number | null];
  return code === 0;
}
