import { messages } from '../harness/graphs.ts';
import { type Measurement, turns } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { runTurns } from '../harness/runs.ts';

/** Two hundred tokens from a model without delay. */
export const streamedMessages: Measurement = {
  name: 'messages',
  takes: turns(3, 0.6, { once: 8, round: 1.2 }),
  run: async (bench) => {
    const firstToken = new Row({ title: '200 tokens: first token', unit: 'ms' });
    const end = new Row({
      title: '200 tokens: end of stream',
      unit: 'ms',
      target: { bound: 'at most', value: 1.5, times: 'floor-graph' },
    });
    await bench.takeTurns(
      runTurns(messages, (subject, run) => {
        firstToken.add(subject, run.firstEventMs);
        end.add(subject, run.endMs);
      }),
    );
    return [firstToken, end];
  },
};
