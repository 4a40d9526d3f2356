import { z } from 'zod';
import type { Target } from '../harness/bench.ts';
import { type BenchGraph, emitThenCompute, emitThenWork } from '../harness/graphs.ts';
import type { StreamedRun } from '../harness/http-client.ts';
import { type Measurement, turns } from '../harness/measurement.ts';
import { Row, type RowTarget } from '../harness/row.ts';

const eventSchema = z.object({ emitted_at_ns: z.string().regex(/^\d+$/) });
const awaitingTarget: RowTarget = { bound: 'at most', value: 1, times: 'peer' };
const computingTarget: RowTarget = { bound: 'at most', value: 10 };
/** Runs per turn. The first one follows an idle time, during the turns of the other subjects. */
const runs = { awaiting: 4, computing: 2 };

/** A node emits an event, then works for 100 ms: measures how long the event is in transit. */
export const firstEventOfWork: Measurement = {
  name: 'emit-then-work',
  takes: turns(1, 0.7, { once: 6, round: 4 }),
  run: async (bench) => {
    const awaiting = new Row({
      title: 'event of a node that then awaits 100 ms: time in transit',
      unit: 'ms',
      target: awaitingTarget,
    });
    const computing = new Row({
      title: 'event of a node that then computes 100 ms: time in transit',
      unit: 'ms',
      target: computingTarget,
    });
    const end = new Row({ title: 'run of the node that awaits 100 ms: end of stream', unit: 'ms' });
    await bench.takeTurns({
      warmUp: async (target) => {
        await runOnce(target, emitThenWork);
      },
      turn: async (target) => {
        for (let times = 0; times < runs.awaiting; times++) {
          const run = await runOnce(target, emitThenWork);
          awaiting.add(target.name, transitMs(run));
          end.add(target.name, run.endMs);
        }
        for (let times = 0; times < runs.computing; times++)
          computing.add(target.name, transitMs(await runOnce(target, emitThenCompute)));
      },
    });
    return [awaiting, computing, end];
  },
};

async function runOnce({ client }: Target, graph: BenchGraph): Promise<StreamedRun> {
  return client.streamRun(await client.createThread(), graph);
}

/** The node emits the time, by the clock that all processes of a machine share. @returns milliseconds */
function transitMs({ body, firstEventAt }: StreamedRun): number {
  const data = /^event: custom\r?\ndata: (.*)$/m.exec(body)?.[1] ?? '';
  return Number(firstEventAt - BigInt(eventSchema.parse(JSON.parse(data)).emitted_at_ns)) / 1e6;
}
