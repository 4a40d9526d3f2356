import pidusage from 'pidusage';
import type { Target } from '../harness/bench.ts';
import { oneNode, tenNodes } from '../harness/graphs.ts';
import { type Measurement, turns } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { repeat } from '../harness/runs.ts';

/**
 * Enough runs for the system's clock, which counts hundredths of a second, to be precise enough. The peer's runs take
 * half a second each, and so much processor time that 20 are enough.
 */
const TURN = { runs: 200, ms: 10_000 };

/**
 * The processor time that runs take in all processes of a server: hardly more on a busy machine than on a quiet one.
 */
export const processorTime: Measurement = {
  name: 'processor-time',
  takes: turns(6, 3, { once: 35, round: 21 }),
  run: async (bench) => {
    const graphs = [oneNode, tenNodes].map((graph) => ({
      graph,
      row: new Row({
        title: `${graph === oneNode ? 'one' : 'ten'}-node run: processor time`,
        unit: 'ms',
      }),
    }));
    for (const { graph, row } of graphs) {
      const runs = ({ client }: Target) =>
        repeat(TURN, async () => client.streamRun(await client.createThread(), graph));
      await bench.takeTurns({
        warmUp: runs,
        turn: async (target) => {
          const pids = await target.server.pids();
          const before = await processorMs(pids);
          const made = await runs(target);
          row.add(target.name, ((await processorMs(pids)) - before) / made);
        },
      });
    }
    return graphs.map(({ row }) => row);
  },
};

/** User and system time that the processes have used since they started, in milliseconds. */
async function processorMs(pids: readonly number[]): Promise<number> {
  const usage = await pidusage([...pids]);
  return Object.values(usage).reduce((sum, { ctime }) => sum + ctime, 0);
}
