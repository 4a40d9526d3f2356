import { setTimeout as sleep } from 'node:timers/promises';
import { emitThenWork } from '../harness/graphs.ts';
import { HttpClient } from '../harness/http-client.ts';
import { type Measurement, onlyServers } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { hasThreads } from '../harness/subject.ts';

const streams = 500;
const askEveryMs = 20;

/** Five hundred runs streamed at once, most of them waiting for their turn, and how soon `/ok` answers during that time. */
export const openStreams: Measurement = {
  name: 'open-streams',
  takes: onlyServers(53, 56),
  run: async (bench) => {
    const answer = new Row({
      title: `answer of /ok with ${streams} open streams (p99 counts)`,
      unit: 'ms',
      target: { bound: 'at most', value: 50 },
    });
    const all = new Row({
      title: `${streams} runs of 1 s streamed at once, to the end of the last`,
      unit: 'ms',
    });
    await bench.eachSubject(async (prepared) => {
      const { name } = prepared.subject;
      if (!hasThreads(name)) return;
      const target = await bench.start(prepared);
      const many = new HttpClient(target.server.url, streams);
      const asking = new HttpClient(target.server.url, 1);
      try {
        const threads: string[] = [];
        for (let thread = 0; thread < streams; thread++) threads.push(await target.client.createThread());
        const startedAt = performance.now();
        let open = true;
        const served = Promise.all(threads.map((thread) => many.streamRun(thread, emitThenWork)));
        const ended = served.finally(() => {
          open = false;
        });
        while (open) {
          answer.add(name, (await asking.get('/ok')).ms);
          await sleep(askEveryMs);
        }
        await ended;
        all.add(name, performance.now() - startedAt);
      } finally {
        await many.close();
        await asking.close();
        await target.stop();
      }
    });
    return [answer, all];
  },
};
