import { ms, p50 } from '../tracing/report.ts';

/** Does the work `count` times in a row. @returns the median of the times, as text */
export async function medianOf(count: number, work: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let time = 0; time < count; time++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return ms(p50(times));
}
