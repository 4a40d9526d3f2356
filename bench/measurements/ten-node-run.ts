import { tenNodes } from '../harness/graphs.ts';
import { type Measurement, turns } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { runTurns } from '../harness/runs.ts';

/** Ten supersteps in a row: the cost of a step and its checkpoint. */
export const tenNodeRun: Measurement = {
  name: 'ten-node-run',
  takes: turns(2.5, 0.4, { once: 8, round: 1.2 }),
  run: async (bench) => {
    const firstEvent = new Row({ title: 'ten-node run: first update', unit: 'ms' });
    const end = new Row({
      title: 'ten-node run: end of stream',
      unit: 'ms',
      target: { bound: 'at most', value: 1.5, times: 'floor-graph' },
    });
    await bench.takeTurns(
      runTurns(tenNodes, (subject, run) => {
        firstEvent.add(subject, run.firstEventMs);
        end.add(subject, run.endMs);
      }),
    );
    return [firstEvent, end];
  },
};
