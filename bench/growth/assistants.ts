import type { Line } from '../tracing/report.ts';
import { ms, p50 } from '../tracing/report.ts';
import { serveGrowing } from './served-graph.ts';

const SIZES = [100, 1_000, 10_000];
const CLIENTS = 8;
const TIMES = 25;

/** Ever more assistants of one graph. */
export async function assistants(): Promise<Line[]> {
  await using served = await serveGrowing();
  const { assistants: client } = served.sdk;
  const lines: Line[] = [];
  let made = 0;
  for (const size of SIZES) {
    const make = async () => {
      while (made < size) {
        made += 1;
        await client.create({
          graphId: served.graph,
          name: `assistant ${made}`,
          metadata: { team: made % 50 },
        });
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, make));
    const timesOf = async (work: () => Promise<unknown>) => {
      const times: number[] = [];
      for (let time = 0; time < TIMES; time++) {
        const began = performance.now();
        await work();
        times.push(performance.now() - began);
      }
      return ms(p50(times));
    };
    lines.push({
      question: `${size.toLocaleString('en')} assistants`,
      result: [
        `search of 10 ${await timesOf(() => client.search({ limit: 10 }))}`,
        `by metadata ${await timesOf(() => client.search({ limit: 10, metadata: { team: 7 } }))}`,
        `count ${await timesOf(() => client.count({}))}`,
        `create ${await timesOf(() => client.create({ graphId: served.graph, name: 'one more' }))}`,
      ].join(', '),
    });
  }
  return lines;
}
