import type { Line } from '../tracing/report.ts';
import { ms } from '../tracing/report.ts';
import { askMeanwhile } from './asked-meanwhile.ts';
import { serveGrowing } from './served-graph.ts';

const MEGABYTES = [1, 10, 100];

/** A state with a growing number of characters. */
export async function states(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const size of MEGABYTES) {
    await using served = await serveGrowing();
    const { threads, runs } = served.sdk;
    const { thread_id } = await threads.create();
    const input = { chars: size * 1_000_000 };
    const run = await askMeanwhile(served.url, () => runs.wait(thread_id, served.graph, { input }));
    const next = await askMeanwhile(served.url, () => runs.wait(thread_id, served.graph, { input: {} }));
    const read = await askMeanwhile(served.url, () => threads.getState(thread_id));
    const peak = await served.peakMb();
    const told = ({ ms: took, worstOkMs }: typeof read | typeof run) =>
      `${ms(took)} (/ok at worst ${ms(worstOkMs)})`;
    lines.push({
      question: `a state of ${size} MB`,
      result: `made ${told(run)}, the next run ${told(next)}, read ${told(read)}; peak ${peak.server.toFixed(0)} MB server, ${peak.runtime.toFixed(0)} MB runtime`,
    });
  }
  return lines;
}
