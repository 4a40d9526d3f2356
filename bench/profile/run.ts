/**
 * `npm run profile`: measures what one run costs in each layer of server and runtime, in processor time and in counts.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { serverProcess } from '../../test/support/control-plane/server-process.ts';
import { eventually } from '../../test/support/wait.ts';
import type { WorkCounts } from '../../test/support/work-counts.ts';
import { graphProject } from '../harness/graph-project.ts';
import * as graphs from '../harness/graphs.ts';
import { HttpClient } from '../harness/http-client.ts';
import { type CpuProfile, layers } from './layers.ts';

const kinds = {
  'one-node': graphs.oneNode,
  'ten-nodes': graphs.tenNodes,
  tokens: graphs.messages,
  'custom-events': graphs.customEvents,
};
type Kind = keyof typeof kinds;
const programs = ['server', 'runtime-node'] as const;

interface Measured extends WorkCounts {
  readonly cpu: { readonly process: number; readonly main: number };
  readonly profile: CpuProfile;
}

const command = new Command('npm run profile --')
  .description('Prints what a run costs in each layer of the server and of the Node runtime.')
  .argument('[kinds...]', `of ${Object.keys(kinds).join(', ')}; all of them if none is given`)
  .option('--runs <n>', 'runs of each kind, after as many to warm up', positiveInteger, 500)
  .option('--clients <n>', 'clients at once', positiveInteger, 1)
  .option('--traced', 'with the spans of every run stored')
  .option('--statements', 'with every SQL text')
  .option('--out <folder>', 'where the profiles go, to be opened in VS Code')
  .parse();
const wanted = wantedKinds(command.args);
const options = command.opts<{
  runs: number;
  clients: number;
  traced?: true;
  statements?: true;
  out?: string;
}>();

if (options.out !== undefined) await mkdir(options.out, { recursive: true });
const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-profile-'));
const probe = pathToFileURL(path.join(import.meta.dirname, 'probe.ts'));
probe.searchParams.set('folder', folder);
const NODE_OPTIONS = `--import=${probe} --disable-warning=ExperimentalWarning`;
try {
  await using server = await serverProcess({ env: { NODE_OPTIONS } });
  const url = await serve(server);
  const client = new HttpClient(url, options.clients);
  for (const name of wanted) {
    await manyRuns(client, name);
    await askAll('start');
    await manyRuns(client, name);
    const measured = await askAll('stop');
    for (const [at, program] of programs.entries()) {
      const one = measured[at];
      if (one === undefined) continue;
      await print(name, program, one);
      if (options.out !== undefined)
        await writeFile(path.join(options.out, `${name}-${program}.cpuprofile`), JSON.stringify(one.profile));
    }
  }
  await client.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Serves the bench graphs with the probe in their process. @returns the agent server's address */
async function serve(server: Awaited<ReturnType<typeof serverProcess>>): Promise<string> {
  const project = await graphProject();
  const config = path.join(project, 'langgraph.profile.json');
  const env = { NODE_OPTIONS, AGENT_HARBOR_TRACING: options.traced ? 'local' : 'off' };
  const own: object = JSON.parse(await readFile(path.join(project, 'langgraph.json'), 'utf8'));
  await writeFile(config, JSON.stringify({ ...own, env }));
  const answer = await server.fetch('/harbor/workspaces', {
    method: 'POST',
    body: { config_path: config, port: 0 },
  });
  const opened = (await answer.json()) as { deployment_id: string; deployment_url: string };
  const state = async () => {
    const found = await server.fetch(`/harbor/workspaces/${opened.deployment_id}`);
    return ((await found.json()) as { runtime: { state: string } }).runtime.state;
  };
  await eventually('the graphs are loaded', state, (now) => now === 'ready', 60_000);
  return opened.deployment_url;
}

async function manyRuns(client: HttpClient, name: Kind): Promise<void> {
  let left = options.runs;
  const loop = async () => {
    while (left-- > 0) await client.streamRun(await client.createThread(), kinds[name]);
  };
  await Promise.all(Array.from({ length: options.clients }, loop));
}

function askAll(what: 'start' | 'stop'): Promise<Measured[]> {
  return Promise.all(
    programs.map(async (program) => {
      const port = await readFile(path.join(folder, program), 'utf8');
      return (await (await fetch(`http://127.0.0.1:${port}/${what}`)).json()) as Measured;
    }),
  );
}

async function print(name: Kind, program: string, measured: Measured): Promise<void> {
  const { cpu, statements, messages, chars, profile } = measured;
  const each = (amount: number, digits = 1) => (amount / options.runs).toFixed(digits);
  const all = Object.values(statements);
  const sum = (field: 'times' | 'ms' | 'bytes' | 'rows') => all.reduce((total, one) => total + one[field], 0);
  console.log(`\n${name}, ${program}, per run of ${options.runs} by ${options.clients} at once`);
  console.log(`  processor time: ${each(cpu.main, 3)} ms main thread, ${each(cpu.process, 3)} ms process`);
  for (const [layer, ms] of await layers(profile)) {
    if (ms / options.runs >= 0.005) console.log(`    ${each(ms, 3).padStart(8)} ms  ${layer}`);
  }
  if (all.length > 0) {
    console.log(
      `  SQLite: ${each(sum('times'))} statements, ${each(sum('rows'))} rows, ${each(sum('bytes'), 0)} bytes bound, ${each(sum('ms'), 3)} ms`,
    );
  }
  const received = Object.entries(messages).map(([method, times]) => `${each(times)} ${method}`);
  console.log(`  received: ${received.join(', ')}; ${each(chars, 0)} characters`);
  if (options.statements !== true) return;
  for (const [sql, one] of Object.entries(statements).sort(([, a], [, b]) => b.ms - a.ms)) {
    if (one.times >= options.runs / 10)
      console.log(
        `    ${each(one.times)} × ${((1000 * one.ms) / one.times).toFixed(1)} µs, ${each(one.bytes, 0)} bytes: ${sql.slice(0, 110)}`,
      );
  }
}

function wantedKinds(names: readonly string[]): Kind[] {
  const unknown = names.find((name) => !isKind(name));
  if (unknown !== undefined)
    command.error(`error: There is no '${unknown}', only ${Object.keys(kinds).join(', ')}.`);
  return (names.length === 0 ? Object.keys(kinds) : names).filter(isKind);
}

function isKind(name: string): name is Kind {
  return Object.hasOwn(kinds, name);
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It takes a whole number from 1 on.');
  return value;
}
