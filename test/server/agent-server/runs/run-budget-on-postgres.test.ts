import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import pg from 'pg';
import { requireOwnPostgres } from '../../../support/postgres.ts';
import { serveProject } from '../../../support/served-project.ts';

const RUNS = 20;

/** The maximum cost of a run, with the creation of its thread. `node bench/team/profile.ts` shows the actual one. */
interface Budget {
  readonly statements: number;
  readonly bytes: number;
}

/** Statements of runs; the number of transactions depends on the machine. */
const RUN_TABLES =
  /"(threads|thread_metadata|assistants|runs|checkpoints|checkpoint_blobs|checkpoint_writes)"/;

/** Statements that a server sends each second and in its sweeps, whether there are runs or not. */
const SERVER_STATEMENT = /^select [^*]*"cancel_action"|"(?:events_expire_at|expires_at)" <= /;

describe('a run on PostgreSQL', function () {
  this.timeout(120_000);
  const cleanup = new AsyncDisposableStack();
  let client: Client;
  let sql: pg.Client;
  before(async function () {
    // Whole pages in the log follow checkpoints of PostgreSQL, and do not depend on runs.
    const settings = ['shared_preload_libraries=pg_stat_statements', 'full_page_writes=off'];
    const options = settings.flatMap((setting) => ['-c', setting]);
    const postgres = cleanup.use(await requireOwnPostgres(this, options));
    const database = await postgres.createDatabase();
    const { url, apiKey } = cleanup.use(await serveProject({ database }));
    client = new Client({ apiUrl: url, apiKey });
    sql = new pg.Client(database);
    await sql.connect();
    cleanup.defer(() => sql.end());
    await sql.query('create extension pg_stat_statements');
  });
  after(() => cleanup.disposeAsync());

  async function streamed(graph: string): Promise<void> {
    const { thread_id } = await client.threads.create();
    const events: string[] = [];
    const options = { input: { value: 1 }, streamMode: 'updates' } as const;
    for await (const { event } of client.runs.stream(thread_id, graph, options)) events.push(event);
    assert.equal(events.at(-1), 'updates');
  }

  const budgets: Record<string, Budget> = {
    one_node: { statements: 21, bytes: 15_000 },
    ten_nodes: { statements: 50, bytes: 49_000 },
  };
  for (const [graph, budget] of Object.entries(budgets)) {
    it(`of ${graph} stays within its budget of statements and bytes of the write-ahead log`, async () => {
      for (let run = 0; run < 3; run++) await streamed(graph);
      await sql.query('select pg_stat_statements_reset()');
      for (let run = 0; run < RUNS; run++) await streamed(graph);
      const { rows } = await sql.query<{ query: string; calls: number; bytes: number }>(
        `select query, calls::float8, wal_bytes::float8 as bytes
         from pg_stat_statements join pg_database on pg_database.oid = dbid where datname = current_database()`,
      );
      const all = rows.filter(({ query }) => RUN_TABLES.test(query) && !SERVER_STATEMENT.test(query));
      const sum = (field: 'calls' | 'bytes') => all.reduce((total, one) => total + one[field], 0) / RUNS;
      const cost = { statements: sum('calls'), bytes: sum('bytes') };
      for (const [what, most] of Object.entries(budget)) {
        const is: number = Reflect.get(cost, what);
        assert.ok(is > 0 && is <= most, `${is} ${what} a run; the budget is ${most}`);
      }
    });
  }
});
