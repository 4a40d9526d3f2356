import pidusage from 'pidusage';
import { processTree } from '../../test/support/process-tree.ts';
import type { BenchGraph } from '../harness/graphs.ts';
import type { HttpClient } from '../harness/http-client.ts';

/** No key is required, as with the server of a folder, and nothing is traced. */
export const OPEN = {
  AGENT_HARBOR_API_KEY: '',
  AGENT_HARBOR_ALLOW_ANYONE: 'true',
  AGENT_HARBOR_TRACING: 'off',
};

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** User and system time of processes and of all that they have started, in milliseconds. */
export async function processorMs(roots: readonly number[]): Promise<number> {
  const usage = await pidusage(processTree(roots));
  return Object.values(usage).reduce((sum, { ctime }) => sum + ctime, 0);
}

/**
 * Runs a graph many times, divided among clients. @returns the seconds from the first start to the last end
 */
export async function runMany(
  clients: readonly HttpClient[],
  graph: BenchGraph,
  runs: number,
): Promise<number> {
  let left = runs;
  const began = performance.now();
  const work = async (client: HttpClient) => {
    while (left-- > 0) await client.streamRun(await client.createThread(), graph);
  };
  await Promise.all(clients.map(work));
  return (performance.now() - began) / 1000;
}
