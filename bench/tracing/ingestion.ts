import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { floorOf } from './floor.ts';
import { type Recording, record, renewed } from './recorded.ts';
import { type Line, ms, p99 } from './report.ts';
import { type Server, startServer } from './server.ts';

/** 20,000 spans, so that code is compiled and caches are filled, as in a server that has been running for a while. */
const WARM_UP_ROUNDS = 20;

/** Recorded bodies from the real SDK, replayed by 1 and by 8 clients, compared with the floor; and reads meanwhile. */
export async function ingestion(rounds: number): Promise<Line[]> {
  const recordings = (await record(100)).filter(({ spans }) => spans > 0);
  const lines: Line[] = [];
  for (const clients of [1, 8]) {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-ingestion-'));
    try {
      const server = await startServer({ dataDir, connections: clients + 1 });
      const warmUp = manyBodies(recordings, WARM_UP_ROUNDS);
      await send(server, warmUp, clients);
      const bodies = manyBodies(recordings, rounds);
      const spans = spansOf(bodies);
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
      const before = await server.cpuMicros();
      const began = performance.now();
      await send(server, bodies, clients);
      const rate = spans / ((performance.now() - began) / 1000);
      const after = await server.cpuMicros();
      running = false;
      await reader;
      await server.stop();
      const floor = floorOf(dataDir);
      const title = `${clients} client${clients === 1 ? '' : 's'}`;
      lines.push({
        question: `spans a second, ${title}`,
        result: `${Math.round(rate)} of ${Math.round(floor.rate)}: ${(rate / floor.rate).toFixed(2)}`,
        target: '≥ 0.35 of the floor',
      });
      if (before !== undefined && after !== undefined) {
        const [main, writer, all] = (['main', 'writer', 'all'] as const).map((thread) =>
          ((after[thread] - before[thread]) / spans).toFixed(0),
        );
        lines.push({
          question: `CPU a span of the thread that serves HTTP, the one that writes, and all of the server; of the floor, ${title}`,
          result: `${main}, ${writer} and ${all} µs; ${floor.cpuMicros.toFixed(0)} µs`,
        });
      }
      lines.push({
        question: `p99 of reading a trace meanwhile, ${title}`,
        result: ms(p99(readings)),
        target: '≤ 50 ms',
      });
      if (clients === 8) {
        const stored = readdirSync(dataDir)
          .filter((file) => file.startsWith('traces.db'))
          .reduce((sum, file) => sum + statSync(path.join(dataDir, file)).size, 0);
        const all = [...warmUp, ...bodies];
        const sent = all.reduce((sum, body) => sum + body.sentBytes, 0);
        lines.push({
          question: 'bytes a span on disk, with indexes and full text',
          result: `${Math.round(stored / spansOf(all))} of ${Math.round(sent / spansOf(all))} sent`,
        });
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }
  return lines;
}

type RenewedBody = ReturnType<typeof renewed>;

function manyBodies(recordings: readonly Recording[], rounds: number): RenewedBody[] {
  return Array.from({ length: rounds }, () => recordings.map(renewed)).flat();
}

function spansOf(bodies: readonly RenewedBody[]): number {
  return bodies.reduce((sum, body) => sum + body.spans, 0);
}

/** Sends each body once, from this many clients. */
async function send(server: Server, bodies: readonly RenewedBody[], clients: number): Promise<void> {
  const queue = [...bodies];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let body = queue.pop(); body !== undefined; body = queue.pop()) {
        const { status, text } = await server.request('POST', '/runs/multipart', body);
        if (status !== 202) throw new Error(`${status} ${text}`);
      }
    }),
  );
}

async function readLatest(server: Server, session: string): Promise<number> {
  const query = { session: [session], is_root: true, limit: 1, select: ['id'] };
  const { text } = await server.request('POST', '/runs/query', {
    bytes: JSON.stringify(query),
    headers: { 'content-type': 'application/json' },
  });
  const { runs } = JSON.parse(text) as { runs: { id: string }[] };
  return (await server.request('GET', `/traces/${runs[0]?.id}/tree`)).ms;
}
