import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { record, renewed } from './recorded.ts';
import { type Line, ms, p99 } from './report.ts';
import { jsonBody, type Server, startServer } from './server.ts';
import { storeRuns } from './store-runs.ts';

/** Measures whether a purge of many runs delays ingestion. */
export async function purgeMeanwhile(runs: number): Promise<Line[]> {
  const recordings = (await record(100)).filter(({ spans }) => spans > 0);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-purge-'));
  await storeRuns(dataDir, recordings, runs);
  const server = await startServer({ dataDir });
  try {
    const fresh = () => recordings.map(renewed);
    const without = await ingest(server, fresh, () => Promise.resolve(false));
    const asked = await server.request('POST', '/runs/delete', jsonBody({ metadata: { revision: 'r1' } }));
    const { job_id } = JSON.parse(asked.text) as { job_id: string };
    const began = performance.now();
    const during = await ingest(server, fresh, async () => {
      const { status } = JSON.parse((await server.request('GET', `/purge/jobs/${job_id}`)).text) as {
        status: string;
      };
      return status === 'pending' || status === 'running';
    });
    const took = performance.now() - began;
    return [
      { question: 'p99 of an ingest request', result: ms(p99(without)) },
      {
        question: `p99 during a purge of ${runs.toLocaleString('en')} runs`,
        result: `${ms(p99(during))}: × ${(p99(during) / p99(without)).toFixed(1)}`,
        target: '≤ 3 ×',
      },
      { question: 'the purge, verified', result: `${(took / 1000).toFixed(1)} s` },
    ];
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Sends one request after the other, at least 100, as long as `goesOn` returns true. */
async function ingest(
  server: Server,
  fresh: () => ReturnType<typeof renewed>[],
  goesOn: () => Promise<boolean>,
): Promise<number[]> {
  const times: number[] = [];
  do {
    for (const body of fresh()) times.push((await server.request('POST', '/runs/multipart', body)).ms);
  } while (times.length < 100 || (await goesOn()));
  return times;
}
