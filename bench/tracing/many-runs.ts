import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { record } from './recorded.ts';
import { type Line, ms, p50 } from './report.ts';
import { jsonBody, type Server, startServer } from './server.ts';
import { storeRuns } from './store-runs.ts';

const TIMES = 30;
const FIELDS = ['id', 'name', 'start_time', 'status', 'total_tokens'];

/** The latest traces, searches by metadata and full-text searches, as the number of runs grows. */
export async function manyRuns(sizes: readonly number[]): Promise<Line[]> {
  const recordings = (await record(100)).filter(({ spans }) => spans > 0);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-many-'));
  const found = new Map<string, string[]>();
  try {
    let stored = 0;
    for (const size of sizes) {
      stored += await storeRuns(dataDir, recordings, size - stored);
      const server = await startServer({ dataDir });
      try {
        for (const [what, times] of await ask(server)) {
          found.set(what, [...(found.get(what) ?? []), ms(p50(times))]);
        }
      } finally {
        await server.stop();
      }
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  const counts = sizes.map((size) => size.toLocaleString('en')).join(' / ');
  return [...found].map(([what, results]) => ({
    question: `${what}, of ${counts} runs`,
    result: results.join(' / '),
    target: 'p50 ≤ 20 ms, flat',
  }));
}

/** @returns the milliseconds that each query took. */
async function ask(server: Server): Promise<[string, number[]][]> {
  const [session] = JSON.parse((await server.request('GET', '/sessions?name=bench')).text) as {
    id: string;
  }[];
  const base = { session: [session?.id], limit: 50, select: FIELDS };
  const { runs: some, cursors } = await query(server, {
    ...base,
    is_root: true,
    select: ['inputs', 'thread_id'],
  });
  const [one] = some;
  const message = one?.inputs?.messages[0]?.id ?? '';
  const metadata = (key: string, value: string) =>
    `and(eq(metadata_key, "${key}"), eq(metadata_value, "${value}"))`;
  const questions: [string, object][] = [
    ['latest 50 traces', { ...base, is_root: true }],
    ['the 50 after them', { ...base, is_root: true, cursor: cursors.next }],
    ['by metadata that a third has', { ...base, filter: metadata('ls_provider', 'openai') }],
    ['by metadata that one trace of 50 has', { ...base, is_root: true, filter: metadata('user', 'user-7') }],
    ['by metadata of one trace', { ...base, filter: metadata('thread_id', one?.thread_id ?? '') }],
    ['full text, words that all have', { ...base, filter: 'search("retention")' }],
    ['full text, words that one run of 100 has', { ...base, filter: 'search("Question 77")' }],
    ['full text, words of one trace', { ...base, filter: `search("${message}")` }],
  ];
  const answers: [string, number[]][] = [];
  for (const [what, body] of questions) {
    const times: number[] = [];
    for (let at = 0; at < TIMES; at++) {
      const { runs, took } = await query(server, body);
      if (runs.length === 0) throw new Error(`Nothing was found: ${what}`);
      times.push(took);
    }
    answers.push([what, times]);
  }
  return answers;
}

interface Answer {
  readonly runs: readonly { readonly thread_id?: string; readonly inputs?: { messages: { id: string }[] } }[];
  readonly cursors: { readonly next: string | null };
}

async function query(server: Server, body: object): Promise<Answer & { readonly took: number }> {
  const { status, text, ms: took } = await server.request('POST', '/runs/query', jsonBody(body));
  if (status !== 200) throw new Error(text);
  return { ...(JSON.parse(text) as Answer), took };
}
