import { oneNode } from '../harness/graphs.ts';
import { type Measurement, turns } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';

/** From the request for the process to its first answer, and to the first output of a graph. */
export const coldStart: Measurement = {
  name: 'cold-start',
  takes: turns(0.9, 0.9, { once: 3, round: 3 }),
  run: async (bench) => {
    const answer = new Row({
      title: 'cold start to first answer of `/ok`',
      unit: 'ms',
      target: { bound: 'at most', value: 5, times: 'floor-http' },
    });
    const output = new Row({
      title: 'cold start to first output of a graph',
      unit: 'ms',
      target: { bound: 'at most', value: 1.3, times: 'floor-graph' },
    });
    // An extra round before the first loads the files into memory, where they usually are on a machine in
    // use.
    for (let round = -1; round < bench.rounds; round++) {
      await bench.eachSubject(async (prepared) => {
        const target = await bench.start(prepared);
        try {
          const { firstEventAt } = await target.client.streamRun(await target.client.createThread(), oneNode);
          if (round < 0) return;
          const since = (at: bigint) => Number(at - target.server.spawnedAt) / 1e6;
          answer.add(target.name, since(target.server.answeredAt));
          output.add(target.name, since(firstEventAt));
        } finally {
          await target.stop();
        }
      }, round + 1);
    }
    return [answer, output];
  },
};
