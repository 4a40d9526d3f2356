import { oneNode } from '../harness/graphs.ts';
import { type Measurement, turns } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { runsPerSecond } from '../harness/runs.ts';

const clients = 16;
const windowMs = 3_000;

/** One-node runs by 16 clients at once, including the creation of a thread for each run. */
export const throughput: Measurement = {
  name: 'throughput',
  takes: turns(4, 3, { once: 7, round: 3.2 }),
  run: async (bench) => {
    const rate = new Row({
      title: `one-node runs, ${clients} clients`,
      unit: 'runs/s',
      target: { bound: 'at least', value: 1.1, times: 'floor-graph' },
    });
    const withinWindow = (_begun: number, elapsedMs: number) => elapsedMs < windowMs;
    await bench.takeTurns({
      warmUp: async (target) => {
        await runsPerSecond(target, oneNode, clients, withinWindow);
      },
      turn: async (target) => {
        rate.add(target.name, await runsPerSecond(target, oneNode, clients, withinWindow));
      },
    });
    return [rate];
  },
};
