import { customEvents } from '../harness/graphs.ts';
import { type Measurement, turns } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { runTurns } from '../harness/runs.ts';

/** A thousand events that are written in one go, until the end of the stream. */
export const thousandCustomEvents: Measurement = {
  name: 'custom-events',
  takes: turns(3, 0.5, { once: 8, round: 1.2 }),
  run: async (bench) => {
    const end = new Row({ title: '1,000 custom events: end of stream', unit: 'ms' });
    const rate = new Row({
      title: '1,000 custom events: end to end',
      unit: 'events/s',
      target: { bound: 'at least', value: 0.9, times: 'floor-graph' },
    });
    await bench.takeTurns(
      runTurns(customEvents, (subject, run) => {
        end.add(subject, run.endMs);
        rate.add(subject, customEvents.events / (run.endMs / 1_000));
      }),
    );
    return [end, rate];
  },
};
