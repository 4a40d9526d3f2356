import { setTimeout as sleep } from 'node:timers/promises';
import pidusage from 'pidusage';
import type { Target } from '../harness/bench.ts';
import { tenNodes } from '../harness/graphs.ts';
import type { Measurement } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { runsPerSecond } from '../harness/runs.ts';

const clients = 16;
const runs = 1_000;
const settleMs = 8_000;

/** Resident memory of all processes of a server: before any run, after 1,000 ten-node runs, and later. */
export const memory: Measurement = {
  name: 'memory',
  takes: (subject) => ({ once: subject === 'ours-traced' ? 0 : subject === 'peer' ? 60 : 21, round: 0 }),
  run: async (bench) => {
    const idle = new Row({
      title: 'resident memory: idle, no run yet',
      unit: 'MB',
      target: { bound: 'at most', value: 200 },
    });
    const after = new Row({ title: 'resident memory: after 1,000 ten-node runs', unit: 'MB' });
    const later = new Row({ title: 'resident memory: 8 s later', unit: 'MB' });
    const growth = new Row({
      title: 'resident memory: 8 s later, above idle',
      unit: 'MB',
      target: { bound: 'at most', value: 20 },
    });
    await bench.eachSubject(async (prepared) => {
      if (prepared.subject.name === 'ours-traced') return;
      const target = await bench.start(prepared);
      try {
        await sleep(settleMs);
        const before = await residentMegabytes(target);
        await runsPerSecond(target, tenNodes, clients, (begun) => begun < runs);
        const directly = await residentMegabytes(target);
        await sleep(settleMs);
        const settled = await residentMegabytes(target);
        idle.add(target.name, before);
        after.add(target.name, directly);
        later.add(target.name, settled);
        growth.add(target.name, settled - before);
      } finally {
        await target.stop();
      }
    });
    return [idle, after, later, growth];
  },
};

/** Memory that processes share is counted for each of them, as in any process list. */
async function residentMegabytes({ server }: Target): Promise<number> {
  const usage = await pidusage(await server.pids());
  return Object.values(usage).reduce((sum, { memory: bytes }) => sum + bytes, 0) / 1e6;
}
