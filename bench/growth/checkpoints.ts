import type { Line } from '../tracing/report.ts';
import { ms, p50 } from '../tracing/report.ts';
import { askMeanwhile } from './asked-meanwhile.ts';
import { serveGrowing } from './served-graph.ts';

const SIZES = [100, 1_000, 10_000];
/** Steps per run: more than LangGraph's default limit. */
const STEPS = 98;
const TIMES = 9;

/** One thread with a growing number of checkpoints. */
export async function checkpoints(): Promise<Line[]> {
  await using served = await serveGrowing();
  const { threads, runs } = served.sdk;
  const { thread_id } = await threads.create();
  const runOf = (steps: number) =>
    runs.wait(thread_id, served.graph, { input: { steps }, config: { recursion_limit: 1_000 } });
  const lines: Line[] = [];
  let made = 0;
  for (const size of SIZES) {
    // A run of n steps makes n + 2 checkpoints: one for its input, and one before the first step.
    while (made < size) {
      await runOf(STEPS);
      made += STEPS + 2;
    }
    const timesOf = async (work: () => Promise<unknown>) => {
      const times: number[] = [];
      let worst = 0;
      for (let time = 0; time < TIMES; time++) {
        const asked = await askMeanwhile(served.url, work);
        times.push(asked.ms);
        worst = Math.max(worst, asked.worstOkMs);
      }
      return `${ms(p50(times))} (/ok at worst ${ms(worst)})`;
    };
    const parts = [
      `a run of one step ${await timesOf(() => runOf(1))}`,
      `its state ${await timesOf(() => threads.getState(thread_id))}`,
      `history of 10 ${await timesOf(() => threads.getHistory(thread_id, { limit: 10 }))}`,
      `history of 1,000 ${await timesOf(() => threads.getHistory(thread_id, { limit: 1_000 }))}`,
      `a copy ${await timesOf(() => threads.copy(thread_id))}`,
    ];
    for (const part of parts)
      lines.push({ question: `a thread of ${size.toLocaleString('en')} checkpoints`, result: part });
  }
  const deleted = await askMeanwhile(served.url, () => threads.delete(thread_id));
  lines.push({
    question: `a thread of ${made.toLocaleString('en')} checkpoints`,
    result: `deleted ${ms(deleted.ms)}; /ok at worst ${ms(deleted.worstOkMs)}`,
  });
  const peak = await served.peakMb();
  lines.push({
    question: 'peak memory with all of it',
    result: `${peak.server.toFixed(0)} MB server, ${peak.runtime.toFixed(0)} MB runtime`,
  });
  return lines;
}
