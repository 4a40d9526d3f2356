import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { floorOf } from './floor.ts';
import { record, renewed } from './recorded.ts';
import { type Line, ms, p99 } from './report.ts';
import { startServer } from './server.ts';

/** Recorded bodies of the real SDK, replayed by 1 and by 8 clients, beside the floor; reading while it runs. */
export async function ingestion(rounds: number): Promise<Line[]> {
  const recordings = (await record(100)).filter(({ spans }) => spans > 0);
  const lines: Line[] = [];
  for (const clients of [1, 8]) {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-ingestion-'));
    try {
      const bodies = Array.from({ length: rounds }, () => recordings.map(renewed)).flat();
      const spans = bodies.reduce((sum, body) => sum + body.spans, 0);
      const sent = bodies.reduce((sum, body) => sum + body.sentBytes, 0);
      const server = await startServer({ dataDir, connections: clients + 1 });
      const queue = [...bodies];
      const readings: number[] = [];
      let running = true;
      const reader = (async () => {
        while (running) {
          const listed = await server.request('GET', '/sessions?name=bench');
          const [session] = JSON.parse(listed.text) as { id: string }[];
          if (session !== undefined) readings.push(await readLatest(server, session.id));
          await sleep(20);
        }
      })();
      const cpuBefore = (await server.writerCpuMicros()) ?? Number.NaN;
      const began = performance.now();
      await Promise.all(
        Array.from({ length: clients }, async () => {
          for (let body = queue.pop(); body !== undefined; body = queue.pop()) {
            const { status, text } = await server.request('POST', '/runs/multipart', body);
            if (status !== 202) throw new Error(`${status} ${text}`);
          }
        }),
      );
      const rate = spans / ((performance.now() - began) / 1000);
      running = false;
      await reader;
      const writerCpu = (((await server.writerCpuMicros()) ?? Number.NaN) - cpuBefore) / spans;
      await server.stop();
      const floor = floorOf(dataDir);
      const title = `${clients} client${clients === 1 ? '' : 's'}`;
      lines.push({
        question: `spans a second, ${title}`,
        result: `${Math.round(rate)} of ${Math.round(floor.rate)}: ${(rate / floor.rate).toFixed(2)}`,
        aim: '≥ 0.4 of the floor',
      });
      lines.push({
        question: `CPU a span of the thread that writes (full text included) and of the floor, ${title}`,
        result: `${writerCpu.toFixed(0)} µs and ${floor.cpuMicros.toFixed(0)} µs: ${(floor.cpuMicros / writerCpu).toFixed(2)}`,
      });
      lines.push({
        question: `p99 of reading a trace meanwhile, ${title}`,
        result: ms(p99(readings)),
        aim: '≤ 50 ms',
      });
      if (clients === 8) {
        const stored = readdirSync(dataDir)
          .filter((file) => file.startsWith('traces.db'))
          .reduce((sum, file) => sum + statSync(path.join(dataDir, file)).size, 0);
        lines.push({
          question: 'bytes a span on disk, with indexes and full text',
          result: `${Math.round(stored / spans)} of ${Math.round(sent / spans)} sent`,
        });
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }
  return lines;
}

async function readLatest(server: Awaited<ReturnType<typeof startServer>>, session: string): Promise<number> {
  const query = { session: [session], is_root: true, limit: 1, select: ['id'] };
  const { text } = await server.request('POST', '/runs/query', {
    bytes: JSON.stringify(query),
    headers: { 'content-type': 'application/json' },
  });
  const { runs } = JSON.parse(text) as { runs: { id: string }[] };
  return (await server.request('GET', `/traces/${runs[0]?.id}/tree`)).ms;
}
