import { tenNodes } from '../harness/graphs.ts';
import { type Measurement, onlyServers } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { hasThreads } from '../harness/subject.ts';

/** Each run of ten nodes stores twelve checkpoints: one of its input, one before the first node, and one of each node. */
const runs = 84;
const reads = 100;
const copies = 20;

/** A thread of a thousand checkpoints: its newest ones, and a copy of all of them. */
export const longThread: Measurement = {
  name: 'long-thread',
  takes: onlyServers(4, 50),
  run: async (bench) => {
    const history = new Row({
      title: 'history of 10 on a thread of 1,000 checkpoints',
      unit: 'ms',
      target: { bound: 'at most', value: 0.5, times: 'peer' },
    });
    const copy = new Row({
      title: 'copy of a thread of 1,000 checkpoints',
      unit: 'ms',
      target: { bound: 'at most', value: 0.5, times: 'peer' },
    });
    await bench.eachSubject(async (prepared) => {
      const { name } = prepared.subject;
      if (!hasThreads(name)) return;
      const target = await bench.start(prepared);
      try {
        const thread = await target.client.createThread();
        for (let run = 0; run < runs; run++) await target.client.streamRun(thread, tenNodes);
        for (let read = 0; read < reads; read++) {
          history.add(name, (await target.client.post(`/threads/${thread}/history`, { limit: 10 })).ms);
        }
        for (let made = 0; made < copies; made++) {
          copy.add(name, (await target.client.post(`/threads/${thread}/copy`, {})).ms);
        }
      } finally {
        await target.stop();
      }
    });
    return [history, copy];
  },
};
