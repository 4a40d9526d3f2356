import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Line } from '../tracing/report.ts';
import { medianOf } from './median-of.ts';
import { serveGrowing } from './served-graph.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const PER_TRANSACTION = 50_000;
const TIMES = 15;
/** One thread in this many belongs to the user whose threads are searched for. */
const USERS = 1_000;

/**
 * A growing number of threads. They are copied in the database, because the server would take minutes to
 * create so many.
 */
export async function threads(): Promise<Line[]> {
  await using served = await serveGrowing();
  const { threads: client } = served.sdk;
  const { thread_id } = await client.create({ metadata: { user: 'nobody' } });
  const database = new DatabaseSync(path.join(served.server.dataDir, 'state.db'), { timeout: 30_000 });
  const lines: Line[] = [];
  try {
    let made = 1;
    for (const size of SIZES) {
      while (made < size) {
        const until = Math.min(size, made + PER_TRANSACTION);
        copyThread(database, thread_id, made, until);
        made = until;
      }
      const byUser = { metadata: { user: '7' } };
      lines.push({
        question: `${size.toLocaleString('en')} threads`,
        result: [
          `search of 10 ${await medianOf(TIMES, () => client.search({ limit: 10 }))}`,
          `by metadata ${await medianOf(TIMES, () => client.search({ limit: 10, ...byUser }))}`,
          `by status ${await medianOf(TIMES, () => client.search({ limit: 10, status: 'interrupted' }))}`,
          `page at 5,000 ${await medianOf(TIMES, () => client.search({ limit: 10, offset: 5_000 }))}`,
          `count ${await medianOf(TIMES, () => client.count({}))}`,
          `count by metadata ${await medianOf(TIMES, () => client.count(byUser))}`,
          `create ${await medianOf(TIMES, () => client.create())}`,
        ].join(', '),
      });
    }
  } finally {
    database.close();
  }
  return lines;
}

/** Copies a thread as those numbered `from` to `until`, of different ages and users; each tenth is interrupted. */
function copyThread(database: DatabaseSync, threadId: string, from: number, until: number): void {
  const columns = database.prepare("SELECT name FROM pragma_table_info('threads')").all();
  const number = "printf('%012d', n)";
  const changed: Readonly<Record<string, string>> = {
    thread_id: `'0197a0de-0000-7000-8000-' || ${number}`,
    status: "CASE n % 10 WHEN 0 THEN 'interrupted' ELSE 'idle' END",
    metadata: `json_object('user', CAST(n % ${USERS} AS TEXT))`,
    created_at: "strftime('%Y-%m-%dT%H:%M:%fZ', 1750000000 + n, 'unixepoch')",
    updated_at: "strftime('%Y-%m-%dT%H:%M:%fZ', 1750000000 + n, 'unixepoch')",
  };
  const names = columns.map(({ name }) => String(name));
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${until})`;
  const quoted = (name: string) => `"${name}"`;
  database.exec('BEGIN IMMEDIATE');
  database
    .prepare(
      `INSERT INTO threads (${names.map(quoted)}) ${numbers}
       SELECT ${names.map((name) => changed[name] ?? `threads.${quoted(name)}`)} FROM numbers, threads WHERE thread_id = ?`,
    )
    .run(threadId);
  database
    .prepare(
      `INSERT INTO thread_metadata (deployment_id, key, value, thread_id) ${numbers}
       SELECT deployment_id, key, json_quote(CAST(n % ${USERS} AS TEXT)), '0197a0de-0000-7000-8000-' || ${number}
       FROM numbers, thread_metadata WHERE thread_id = ? AND key = 'user'`,
    )
    .run(threadId);
  database.exec('COMMIT');
}
