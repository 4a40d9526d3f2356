import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { LINK_PACKAGES, linkedProject } from '../../test/support/control-plane/example-files.ts';
import { gitRepository } from '../../test/support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../test/support/control-plane/server-process.ts';
import { eventually } from '../../test/support/wait.ts';
import { type Line, ms, p50 } from '../tracing/report.ts';
import { deploy } from './deployed.ts';
import { importing, times } from './timed.ts';

const DEPLOYMENTS = 20;
const ROUNDS = 7;

/** The cost of unused deployments, and of the first run after their sleep. */
export async function idle(): Promise<Line[]> {
  await using server = await serverProcess({ args: ['--sleep-after-seconds', '1'] });
  const emptyStart = p50(await times(ROUNDS, () => restart(server)));
  const emptyMemory = await resident(server);
  await using repository = await gitRepository();
  await repository.push(await linkedProject('idle'));
  const deployIdle = (count: number) =>
    deploy(server, { name: `idle ${count}`, url: repository.url, installCommand: LINK_PACKAGES });
  const { sdk } = await deployIdle(0);
  for (let count = 1; count < DEPLOYMENTS; count++) await deployIdle(count);
  const start = p50(await times(ROUNDS, () => restart(server)));
  const asleep = () => eventually('all sleep', () => server.children().length === 0, Boolean, 60_000);
  await asleep();
  const memory = await resident(server);
  // In the folder of a build, so that the file and the packages are the same.
  const build = await firstBuild(server);
  const wakings: number[] = [];
  const imports: number[] = [];
  // Alternately, so that other load affects both.
  for (let round = 0; round < ROUNDS; round++) {
    await asleep();
    const began = performance.now();
    await sdk.runs.wait(null, 'slow', { input: { ticks: 0 } });
    wakings.push(performance.now() - began);
    imports.push(await importing(path.join(build, 'src/slow.mjs'), build));
  }
  const woken = p50(wakings);
  const graph = p50(imports);
  return [
    { question: 'server start, no deployment', result: ms(emptyStart) },
    { question: `server start, ${DEPLOYMENTS} deployments asleep`, result: ms(start) },
    { question: 'resident memory, no deployment', result: emptyMemory },
    { question: `resident memory, ${DEPLOYMENTS} deployments asleep`, result: memory },
    {
      question: 'first run after sleep',
      result: `${ms(woken)}, ${(woken / graph).toFixed(2)} × the next line`,
      target: '≤ 1.5 ×',
    },
    { question: 'a bare process that imports the graph', result: ms(graph) },
  ];
}

async function firstBuild({ dataDir }: ServerProcess): Promise<string> {
  const deployments = path.join(dataDir, 'deployments');
  const [id = ''] = await readdir(deployments);
  const builds = await readdir(path.join(deployments, id, 'builds'));
  return path.join(deployments, id, 'builds', builds.find((name) => !name.endsWith('.json')) ?? '');
}

/** Restarts a server. @returns the milliseconds from its start until it has announced itself. */
async function restart(server: ServerProcess): Promise<number> {
  await server.stop();
  const began = performance.now();
  await server.start();
  return performance.now() - began;
}

/** Resident memory of the server's own process; only Linux reports it. */
async function resident({ pid }: ServerProcess): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
  return kilobytes === undefined ? 'measured on Linux only' : `${(Number(kilobytes) / 1024).toFixed(0)} MB`;
}
