import type { Line } from '../tracing/report.ts';
import { ms } from '../tracing/report.ts';
import { askMeanwhile } from './asked-meanwhile.ts';
import { countEvents } from './read-stream.ts';
import { serveGrowing } from './served-graph.ts';

const SIZES = [10, 100, 1_000];
const EVENTS = 1_000;

/** A growing number of readers of one run. */
export async function readers(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const size of SIZES) {
    await using served = await serveGrowing();
    const { thread_id } = await served.sdk.threads.create();
    const {
      result,
      ms: took,
      worstOkMs,
    } = await askMeanwhile(served.url, async () => {
      const run = await served.sdk.runs.create(thread_id, served.graph, {
        input: { events: EVENTS },
        streamMode: 'custom',
        streamResumable: true,
      });
      const join = async () =>
        countEvents(
          await fetch(`${served.url}/threads/${thread_id}/runs/${run.run_id}/stream`, {
            headers: { 'last-event-id': '-1' },
          }),
          'custom',
        );
      return Promise.all(Array.from({ length: size }, join));
    });
    const complete = result.filter((count) => count === EVENTS).length;
    const peak = await served.peakMb();
    lines.push({
      question: `${size.toLocaleString('en')} readers of a run of ${EVENTS.toLocaleString('en')} events`,
      result: `${ms(took)}, ${ms(took / size)} each, ${complete} had all; /ok at worst ${ms(worstOkMs)}; peak ${peak.server.toFixed(0)} MB server`,
    });
  }
  return lines;
}
