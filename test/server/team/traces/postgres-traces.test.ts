import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DatabaseLink } from '../../../../src/server/team/postgres/link/database-link.ts';
import { PostgresBlobs } from '../../../../src/server/team/traces/postgres-blobs.ts';
import {
  openPostgresTraces,
  type PostgresTraces,
} from '../../../../src/server/team/traces/postgres-traces.ts';
import { makeWriterContext } from '../../../../src/server/traces-thread/make-writer-context.ts';
import type { TeamTraces } from '../../../../src/server/traces-thread/worker-data.ts';
import { createFeedback } from '../../../../src/server/tracing/feedback/write-feedback.ts';
import { ingestRequest } from '../../../../src/server/tracing/ingestion/ingest-request.ts';
import { agentTrace } from '../../../support/agent-trace.ts';
import { dataFolder } from '../../../support/data-folder.ts';
import { type Platform, startPlatform } from '../../../support/platform.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { newRun, postParts, runNames, sendParts, sessionId } from '../../../support/traces.ts';
import { tracesDatabaseOf } from '../../../support/traces-database.ts';
import { eventually } from '../../../support/wait.ts';

describe('traces in PostgreSQL', function () {
  this.timeout(240_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  describe('a transaction', () => {
    let db: PostgresTraces;
    before(async () => {
      const { url, link } = await tracesDatabaseOf(postgres);
      db = await openPostgresTraces({ url, thread: new URL(link) }, 'write');
    });
    after(() => db?.close());

    const add = (id: string) => db.statement('INSERT INTO workspaces (id) VALUES (?)').run(id);
    const ids = () =>
      db
        .statement('SELECT id FROM workspaces ORDER BY id')
        .all()
        .map(({ id }) => id);

    it('loses only the nested transaction that failed, whose error is thrown', () => {
      db.transaction(() => {
        add('a');
        assert.throws(() => db.transaction(() => void add('a')), { sqlState: '23505' });
        assert.throws(() =>
          db.transaction(() => {
            add('b');
            throw new Error('changed my mind');
          }),
        );
        add('c');
      });
      assert.deepEqual(ids(), ['a', 'c']);
    });

    it('stores nothing when a write fails at its end', () => {
      assert.throws(
        () =>
          db.transaction(() => {
            add('d');
            add('c');
          }),
        { sqlState: '23505' },
      );
      assert.deepEqual(ids(), ['a', 'c']);
    });

    it('reports how many rows a write has changed', () => {
      db.transaction(() => {
        assert.equal(add('e').changes, 1);
        assert.equal(db.statement('UPDATE workspaces SET id = id').run().changes, 3);
      });
    });
  });

  it('are maintained only by a server that has this role, even if no other server does it', async () => {
    const { url, link } = await tracesDatabaseOf(postgres);
    const open = (maintains?: boolean) =>
      openPostgresTraces({ url, thread: new URL(link), maintains }, 'write');
    const [other, maintainer] = [await open(false), await open()];
    try {
      assert.deepEqual([other.isMaintainer, maintainer.isMaintainer], [false, true]);
    } finally {
      await Promise.all([other.close(), maintainer.close()]);
    }
  });

  it('are stored while a lock delays the vacuuming after a purge', async () => {
    const { url, link } = await tracesDatabaseOf(postgres);
    const db = await openPostgresTraces({ url, thread: new URL(link) }, 'write');
    const other = new pg.Client(url);
    other.on('error', () => {});
    try {
      await other.connect();
      const vacuum = (forMs: number) => db.freeSpace(performance.now() + forMs, 'a purge');
      assert.equal(vacuum(-1), 'begun');
      await other.query('BEGIN; LOCK TABLE harbor_traces.labels IN SHARE UPDATE EXCLUSIVE MODE');
      // Ends by itself, so that the test fails instead of hanging if a vacuum waits for the lock.
      const held = assert.rejects(other.query('SELECT pg_sleep(60); COMMIT'));
      assert.equal(vacuum(60_000), 'waits');
      const add = () => db.statement('INSERT INTO workspaces (id) VALUES (?)').run('stored meanwhile');
      db.transaction(() => void add());
      assert.equal(vacuum(60_000), 'waits');
      db.statement(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
      ).get();
      await held;
      await eventually('all tables are vacuumed', () => vacuum(60_000) === 'done');
      assert.equal(db.statement('SHOW lock_timeout').get()?.lock_timeout, '0');
    } finally {
      await other.end();
      db.close();
    }
  });

  it('are gone from the planner’s statistics once they have been purged, whether rows of their table remain or not', async () => {
    const { url, link } = await tracesDatabaseOf(postgres);
    const db = await openPostgresTraces({ url, thread: new URL(link) }, 'write');
    const columnsWithSecret = () =>
      db
        .statement(
          `SELECT attname AS column FROM pg_stats WHERE schemaname = 'harbor_traces'
             AND concat(most_common_vals::text, histogram_bounds::text, most_common_elems::text) LIKE '%secret%'`,
        )
        .all();
    const collations = () =>
      db
        .statement(
          `SELECT attrelid, attname, attcollation FROM pg_attribute
             WHERE attrelid = 'harbor_traces.workspaces'::regclass ORDER BY attnum`,
        )
        .all();
    try {
      const before = collations();
      for (const keepsRow of [true, false]) {
        for (let at = 0; at < 9; at++)
          db.statement('INSERT INTO workspaces (id) VALUES (?)').run(`secret ${at}`);
        if (keepsRow) db.statement('INSERT INTO workspaces (id) VALUES (?)').run('kept');
        db.statement('ANALYZE harbor_traces.workspaces').run();
        assert.deepEqual(columnsWithSecret(), [{ column: 'id' }]);
        db.statement(`DELETE FROM workspaces WHERE ?1 = 0 OR id LIKE 'secret%'`).run(keepsRow ? 1 : 0);
        await eventually(
          'the tables are vacuumed',
          () => db.freeSpace(performance.now() + 60_000, 'a purge') === 'done',
        );
        assert.deepEqual(columnsWithSecret(), []);
      }
      assert.deepEqual(collations(), before);
    } finally {
      db.close();
    }
  });

  it('are stored in a handful of round trips per request, however many spans it has', async () => {
    await using folder = await dataFolder();
    const { url, link } = await tracesDatabaseOf(postgres);
    const db = await openPostgresTraces({ url, thread: new URL(link) }, 'write');
    const context = makeWriterContext({
      db,
      blobs: new PostgresBlobs(db),
      dataDir: folder.path,
      send: () => {},
      nudge: () => {},
    });
    const store = (spans: number) => {
      const request = { workspaceId: 'workspace', single: false, ...agentTrace(folder.path, spans) };
      const { refused } = db.transaction(() => ingestRequest(context, request));
      assert.deepEqual(refused, []);
    };
    const ask = DatabaseLink.prototype.ask;
    let roundTrips = 0;
    try {
      // Makes the project and the labels that runs share.
      store(2);
      const feedback = { key: 'k', run_id: randomUUID() };
      db.transaction(() => createFeedback(context, { workspaceId: 'another', feedback }));
      DatabaseLink.prototype.ask = function (batch) {
        roundTrips++;
        return ask.call(this, batch);
      };
      store(50);
      // Begin, rows, new labels, labels that other servers may have made, keys of the rows, commit.
      assert.ok(roundTrips > 1 && roundTrips <= 7, `${roundTrips} round trips`);
      assert.equal(Number(db.statement('SELECT count(*) AS n FROM runs').get()?.n), 52);
    } finally {
      DatabaseLink.prototype.ask = ask;
      for (const work of context.background) work.stop?.();
      db.close();
    }
  });

  describe('in two servers', () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let traces: TeamTraces;
    let one: Platform;
    let other: Platform;
    before(async () => {
      folder = await temporaryFolder();
      traces = await tracesDatabaseOf(postgres);
      one = await startPlatform({ dataDir: folder.path, traces });
      other = await startPlatform({ dataDir: folder.path, traces });
      // The same workspace, with a key for each server.
      assert.equal(other.workspace.id, one.workspace.id);
    });
    after(async () => {
      await one?.close();
      await other?.close();
      await folder?.[Symbol.asyncDispose]();
    });

    it('join an update that one server gets with the run that the other gets later', async () => {
      const run = newRun({ name: 'in two parts' });
      const { id, trace_id, dotted_order } = run;
      const patch = { id, trace_id, dotted_order, end_time: new Date().toISOString() };
      const outputs = { name: `patch.${id}.outputs`, content: { answer: 'goldcrest' } };
      assert.equal((await sendParts(one, [{ name: `patch.${id}`, content: patch }, outputs])).status, 202);
      assert.equal((await sendParts(other, postParts(run))).status, 202);
      for (const platform of [one, other]) {
        const read = (await (await platform.fetch(`/runs/${id}`)).json()) as {
          status: string;
          outputs: object;
        };
        assert.equal(read.status, 'success');
        assert.deepEqual(read.outputs, { answer: 'goldcrest' });
      }
    });

    it('stores runs that are sent to both at once, and finds them through either', async () => {
      const names = Array.from({ length: 40 }, (_, at) => `run ${at}`);
      const answers = await Promise.all(
        names.map((name, at) =>
          sendParts(
            at % 2 === 0 ? one : other,
            postParts(newRun({ name, session_name: 'both' }), {
              inputs: { text: `budgerigar ${at}` },
              extra: { metadata: { at, shared: 'yes' } },
            }),
          ),
        ),
      );
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
      const session = [await sessionId(one, 'both')];
      for (const filter of [
        'search("budgerigar")',
        'and(eq(metadata_key, "shared"), eq(metadata_value, "yes"))',
      ]) {
        const found = await runNames(other, { session, filter, limit: 100 });
        assert.deepEqual(found.toSorted(), names.toSorted(), filter);
      }
    });

    it('find runs once by tags that they share, and count them at each of their tags', async () => {
      const tags = Array.from({ length: 25 }, (_, at) => `tag ${at}`);
      const parts = ['a', 'b'].flatMap((name) => postParts(newRun({ name, session_name: 'tagged', tags })));
      assert.equal((await sendParts(one, parts)).status, 202);
      const session = [await sessionId(one, 'tagged')];
      const filter = `in(tags, ${JSON.stringify(tags)})`;
      assert.deepEqual((await runNames(other, { session, filter })).toSorted(), ['a', 'b']);
      const group_by = { attribute: 'tag', max_groups: 30 };
      const answer = await other.fetch('/runs/stats', { method: 'POST', body: { session, group_by } });
      const groups = (await answer.json()) as Record<string, { run_count: number }>;
      assert.deepEqual(Object.keys(groups).toSorted(), tags.toSorted());
      assert.deepEqual(new Set(Object.values(groups).map(({ run_count }) => run_count)), new Set([2]));
    });

    it('purges through one server what the other has stored, which can then be stored again', async () => {
      const send = () =>
        sendParts(
          one,
          postParts(newRun({ session_name: 'purged' }), { extra: { metadata: { user: 'u1' } } }),
        );
      assert.equal((await send()).status, 202);
      const session = [await sessionId(one, 'purged')];
      const asked = await other.fetch('/api/v1/runs/delete', {
        method: 'POST',
        body: { metadata: { user: 'u1' }, session_id: session[0] },
      });
      assert.equal(asked.status, 202, await asked.clone().text());
      const { job_id } = (await asked.json()) as { job_id: string };
      const ended = await eventually(
        'the purge ends',
        async () => {
          const job = (await (await one.fetch(`/purge/jobs/${job_id}`)).json()) as {
            status: string;
            deleted: number;
          };
          return ['verified', 'failed'].includes(job.status) ? job : undefined;
        },
        Boolean,
        120_000,
      );
      assert.deepEqual([ended?.status, ended?.deleted], ['verified', 1]);
      // The server that stored the purged label does not take it from its cache.
      assert.equal((await send()).status, 202);
      const filter = 'and(eq(metadata_key, "user"), eq(metadata_value, "u1"))';
      assert.equal((await runNames(other, { session, filter })).length, 1);
    });
  });
});
