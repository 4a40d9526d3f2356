import path from 'node:path';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { findContainerTool } from '../../src/containers/container-tool.ts';
import { linkedProject } from '../../test/support/control-plane/example-files.ts';
import { gitRepository } from '../../test/support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../test/support/control-plane/server-process.ts';
import { installLine } from '../../test/support/projects.ts';
import { eventually } from '../../test/support/wait.ts';
import { type Line, ms, p50 } from '../tracing/report.ts';
import { type Deployed, deploy } from './deployed.ts';

const ROUNDS = 9;
const RUNS = 40;
const KINDS = ['process', 'container'] as const;
type Kind = (typeof KINDS)[number];

/** The cost of graphs in containers, measured in alternation with the same graphs as processes. */
export async function isolation(): Promise<Line[]> {
  const tool = await findContainerTool().catch(() => undefined);
  if (tool === undefined)
    return [{ question: 'graphs in containers', result: 'no Docker or Podman works here' }];
  await using server = await serverProcess({ args: ['--sleep-after-seconds', '2'] });
  await using repository = await gitRepository();
  const packages = path.join(await installLine('langgraph-1.7'), 'node_modules');
  await repository.push({
    ...(await linkedProject('isolated')),
    // A link would lead out of the container.
    'install.mjs': `import { cpSync } from 'node:fs'; cpSync(${JSON.stringify(packages)}, 'node_modules', { recursive: true });`,
  });
  const source = { url: repository.url, installCommand: 'node install.mjs' };
  const deployed: Record<Kind, Deployed> = {
    process: await deploy(server, { ...source, name: 'process', isolation: 'process' }),
    container: await deploy(server, { ...source, name: 'container', isolation: 'process' }),
  };
  await keepApart(server, deployed.container);
  const starts: Record<Kind, number[]> = { process: [], container: [] };
  const runs: Record<Kind, number[]> = { process: [], container: [] };
  for (let round = 0; round < ROUNDS; round++) {
    await eventually('all sleep', () => server.children().length === 0, Boolean, 60_000);
    // Neither is always first.
    for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) {
      const run = () => timed(() => deployed[kind].sdk.runs.wait(null, 'slow', { input: { ticks: 0 } }));
      starts[kind].push(await run());
      for (let count = 0; count < RUNS; count++) await run();
      for (let count = 0; count < RUNS; count++) runs[kind].push(await run());
    }
  }
  const line = (question: string, of: Record<Kind, number[]>): Line => {
    const [process, container] = [p50(of.process), p50(of.container)];
    return {
      question,
      result: `${ms(container)}, beside ${ms(process)} as a process: ${(container / process).toFixed(2)} ×`,
    };
  };
  return [
    { question: 'containers are run by', result: tool.title },
    line('first run after sleep', starts),
    line('a run of one node that does nothing', runs),
  ];
}

/** Reuses its build, which copied packages on this machine that a build in a container could not read. */
async function keepApart({ client }: ServerProcess, { id: deployment_id }: Deployed): Promise<void> {
  const { latest_revision_id } = await client.deployments.update({
    params: { deployment_id },
    body: { source_config: { isolation: 'container' } },
  });
  await waitForRevision(client.revisions, { deployment_id, revision_id: latest_revision_id ?? '' });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
