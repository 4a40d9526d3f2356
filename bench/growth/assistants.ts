import type { Line } from '../tracing/report.ts';
import { medianOf } from './median-of.ts';
import { serveGrowing } from './served-graph.ts';

const SIZES = [100, 1_000, 10_000];
const CLIENTS = 8;
const TIMES = 25;

/** A growing number of assistants of one graph. */
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
    lines.push({
      question: `${size.toLocaleString('en')} assistants`,
      result: [
        `search of 10 ${await medianOf(TIMES, () => client.search({ limit: 10 }))}`,
        `by metadata ${await medianOf(TIMES, () => client.search({ limit: 10, metadata: { team: 7 } }))}`,
        `count ${await medianOf(TIMES, () => client.count({}))}`,
        `create ${await medianOf(TIMES, () => client.create({ graphId: served.graph, name: 'one more' }))}`,
      ].join(', '),
    });
  }
  return lines;
}
