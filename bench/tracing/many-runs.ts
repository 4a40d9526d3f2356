import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { record, renewed } from './recorded.ts';
import { type Line, ms, p50 } from './report.ts';
import { jsonBody, type Server, startServer } from './server.ts';

const TIMES = 30;

/** The latest traces, a search by metadata and a full-text search, as the number of runs grows. */
export async function manyRuns(sizes: readonly number[]): Promise<Line[]> {
  const recordings = (await record(100)).filter(({ spans }) => spans > 0);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-many-'));
  const lines: Line[] = [];
  const server = await startServer({ dataDir });
  try {
    let stored = 0;
    for (const size of sizes) {
      while (stored < size) {
        const bodies = recordings.map(renewed);
        await Promise.all(bodies.map((body) => server.request('POST', '/runs/multipart', body)));
        stored += bodies.reduce((sum, body) => sum + body.spans, 0);
      }
      lines.push(...(await questions(server, size)));
    }
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  return lines;
}

async function questions(server: Server, size: number): Promise<Line[]> {
  const [session] = JSON.parse((await server.request('GET', '/sessions?name=bench')).text) as {
    id: string;
  }[];
  const base = {
    session: [session?.id],
    limit: 50,
    select: ['id', 'name', 'start_time', 'status', 'total_tokens'],
  };
  const queries: [string, object][] = [
    ['latest 50 traces', { ...base, is_root: true }],
    [
      'by metadata, frequent',
      { ...base, filter: 'and(eq(metadata_key, "ls_provider"), eq(metadata_value, "openai"))' },
    ],
    [
      'by metadata, rare',
      { ...base, is_root: true, filter: 'and(eq(metadata_key, "user"), eq(metadata_value, "user-7"))' },
    ],
    ['full text, frequent', { ...base, filter: 'search("retention")' }],
    ['full text, rare', { ...base, filter: 'search("Question 77")' }],
  ];
  const lines: Line[] = [];
  for (const [what, query] of queries) {
    const times: number[] = [];
    for (let at = 0; at < TIMES; at++) {
      const { status, text, ms: took } = await server.request('POST', '/runs/query', jsonBody(query));
      if (status !== 200) throw new Error(text);
      times.push(took);
    }
    lines.push({
      question: `${what}, of ${size.toLocaleString('en')} runs`,
      result: ms(p50(times)),
      aim: 'p50 ≤ 20 ms',
    });
  }
  return lines;
}
