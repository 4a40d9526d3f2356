import { oneNode } from '../harness/graphs.ts';
import { type Measurement, turns } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { runTurns } from '../harness/runs.ts';

/** The time that a user waits for a trivial graph. */
export const oneNodeRun: Measurement = {
  name: 'one-node-run',
  takes: turns(1.5, 0.2, { once: 8, round: 1.2 }),
  run: async (bench) => {
    const firstByte = new Row({ title: 'one-node run: first byte', unit: 'ms' });
    const firstEvent = new Row({ title: 'one-node run: first update', unit: 'ms' });
    const end = new Row({
      title: 'one-node run: end of stream',
      unit: 'ms',
      target: { bound: 'at most', value: 1.5, times: 'floor-graph' },
    });
    await bench.takeTurns(
      runTurns(oneNode, (subject, run) => {
        firstByte.add(subject, run.firstByteMs);
        firstEvent.add(subject, run.firstEventMs);
        end.add(subject, run.endMs);
      }),
    );
    return [firstByte, firstEvent, end];
  },
};
