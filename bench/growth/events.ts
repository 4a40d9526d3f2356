import type { Line } from '../tracing/report.ts';
import { ms } from '../tracing/report.ts';
import { askMeanwhile } from './asked-meanwhile.ts';
import { countEvents } from './read-stream.ts';
import { serveGrowing } from './served-graph.ts';

const SIZES = [10_000, 100_000, 1_000_000];

/** A stream with a growing number of events, read as they are produced, and then again from the beginning. */
export async function events(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const size of SIZES) {
    await using served = await serveGrowing();
    const { thread_id } = await served.sdk.threads.create();
    const body = {
      assistant_id: served.graph,
      input: { events: size },
      stream_mode: 'custom',
      stream_resumable: true,
      on_disconnect: 'continue',
    };
    const headers = { 'content-type': 'application/json' };
    const post = (route: string) =>
      fetch(`${served.url}${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const first = await askMeanwhile(served.url, async () =>
      countEvents(await post(`/threads/${thread_id}/runs/stream`), 'custom'),
    );
    const [run] = await served.sdk.runs.list(thread_id);
    const again = await askMeanwhile(served.url, async () =>
      countEvents(
        await fetch(`${served.url}/threads/${thread_id}/runs/${run?.run_id}/stream`, {
          headers: { 'last-event-id': '-1' },
        }),
        'custom',
      ),
    );
    const deleted = await askMeanwhile(served.url, () =>
      served.sdk.runs.delete(thread_id, run?.run_id ?? ''),
    );
    const peak = await served.peakMb();
    lines.push({
      question: `a stream of ${size.toLocaleString('en')} events`,
      result: `${ms(first.ms)}, ${((1000 * first.ms) / size).toFixed(1)} µs each, ${first.result} read; /ok at worst ${ms(first.worstOkMs)}`,
    });
    lines.push({
      question: 'the same, joined afterwards',
      result: `${ms(again.ms)}, ${again.result} read; /ok at worst ${ms(again.worstOkMs)}; peak ${peak.server.toFixed(0)} MB server, ${peak.runtime.toFixed(0)} MB runtime`,
    });
    lines.push({
      question: 'the same, deleted',
      result: `${ms(deleted.ms)}; /ok at worst ${ms(deleted.worstOkMs)}`,
    });
  }
  return lines;
}
