import assert from 'node:assert/strict';
import { sql } from 'kysely';
import pg from 'pg';
import { PreparedQuery } from '../../../../src/server/storage/prepared-query.ts';
import { readAll } from '../../../../src/server/storage/reading.ts';
import { isRefused } from '../../../../src/server/storage/refused.ts';
import { openStateDatabase } from '../../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../../src/server/storage/state-database.ts';
import type { Waiting } from '../../../../src/server/storage/unit.ts';
import {
  migrations,
  openPostgresState,
  type PostgresState,
} from '../../../../src/server/team/postgres/postgres-state.ts';
import { SERVING_LOCK } from '../../../../src/server/team/postgres/served-deployments.ts';
import { NODE_LOCKS } from '../../../../src/server/team/postgres/take-over.ts';
import { type OwnPostgres, openPostgres, type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

const insertSetting = new PreparedQuery<{ name: string; value: string }>((db, value) =>
  db
    .insertInto('settings')
    .values({ name: value('name'), value: value('value') })
    .onConflict((conflict) => conflict.doNothing()),
);

const allSettings = new PreparedQuery<object, { name: string }>((db) =>
  db.selectFrom('settings').selectAll().orderBy('name'),
);

describe('the state in PostgreSQL', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(async () => {
    await postgres?.[Symbol.asyncDispose]();
    await stopped?.[Symbol.asyncDispose]();
  });

  let stopped: OwnPostgres | undefined;
  /** One that may be stopped. */
  const stoppable = async () => {
    stopped ??= await openPostgres();
    await stopped.start();
    return stopped;
  };

  const names = async (db: StateDatabase) =>
    (await db.selectFrom('settings').select('name').orderBy('name').execute()).map(({ name }) => name);

  it('is made once by servers that start at the same time', async () => {
    const url = await postgres.createDatabase();
    const useOnce = async () => {
      const db = await openTeamState(url);
      await db.commit((unit) => unit.run(insertSetting, { name: crypto.randomUUID(), value: '' }));
      const seen = (await names(db)).length;
      await db.destroy();
      return seen;
    };
    const seen = await Promise.all([useOnce(), useOnce(), useOnce()]);
    assert.equal(Math.max(...seen), 3);
  });

  it('answers prepared queries on every connection after a newer server has added a column', async () => {
    const url = await postgres.createDatabase();
    const db = await openTeamState(url);
    await db.commit((unit) => unit.run(insertSetting, { name: 'one', value: '' }));
    const readOnce = async () => (await db.findAll(allSettings, {})).map(({ name }) => name);
    const readInSnapshot = () => db.look(() => readAll(allSettings, {}));
    const readOften = () =>
      Promise.all(Array.from({ length: 16 }, () => [readOnce(), readInSnapshot()]).flat());
    await readOften();
    const prepared = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(db);
    assert.equal(prepared.rows.length, 1);
    await sql`alter table settings add column more text`.execute(db);
    const answers = await readOften();
    assert.equal(answers.length, 32);
    for (const rows of answers) assert.equal(rows.length, 1);
    await db.destroy();
  });

  it('has the tables and columns that are in SQLite', async () => {
    await using folder = await temporaryFolder();
    const [sqlite, db] = [
      await openStateDatabase(folder.path),
      await openTeamState(await postgres.createDatabase()),
    ];
    const columnsOf = async (of: StateDatabase) =>
      (await of.introspection.getTables())
        .filter(({ name }) => !name.startsWith('migrations'))
        .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
        .sort();
    const ofTeams = [
      'duties.name',
      'duties.node',
      'nodes.number',
      'nodes.started_at',
      'nodes.expires_at',
      'nodes.is_draining',
      'nodes.deployments',
      'nodes.roles',
      'node_lanes.lane',
      'node_lanes.node',
      'node_spans.lane',
      'node_spans.node',
      'node_spans.span',
      'node_spans.unit',
    ];
    const expected = [
      ...(await columnsOf(sqlite)),
      ...ofTeams,
      'node_lanes.unit',
      'store_vectors.floats',
    ].sort();
    assert.deepEqual(await columnsOf(db), expected);
    await sqlite.destroy();
    await db.destroy();
  });

  it('stores nothing from a server that another one has taken over from, and tells that server', async () => {
    const url = await postgres.createDatabase();
    const db = await openTeamState(url);
    const put = (name: string) => db.commit((unit) => unit.run(insertSetting, { name, value: '' }), 'thread');
    await put('before');
    await sql`delete from nodes`.execute(db);
    await assert.rejects(put('after'), { name: 'DatabaseUnreachable' });
    assert.match((await db.lost).message, /taken over/);
    assert.deepEqual(await names(db), ['before']);
    await db.destroy();
  });

  it('stores each unit once, even if its connections break again and again', async () => {
    const url = await postgres.createDatabase();
    const db = await openTeamState(url);
    const admin = new pg.Client(url);
    await admin.connect();
    await db.insertInto('settings').values({ name: 'sum', value: '0' }).execute();
    const add = () =>
      db.commit((unit) => {
        const more = sql<string>`(value::int + 1)::text`;
        unit.do(unit.build.updateTable('settings').set({ value: more }).where('name', '=', 'sum'));
      }, 'thread');
    let isOver = false;
    let stored = 0;
    const breaking = (async () => {
      while (!isOver) {
        await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'agent-harbor %' and query <> 'listen agent_harbor'`,
        );
        const before = stored;
        await new Promise((resolve) => setTimeout(resolve, 30));
        // A unit that breaks one connection after another would be given up.
        await eventually('more is stored', () => isOver || stored > before);
      }
    })();
    const clients = Array.from({ length: 4 }, async () => {
      for (let times = 0; times < 25; times++, stored++) await add();
    });
    await Promise.all(clients).finally(() => {
      isOver = true;
    });
    await breaking;
    const { rows } = await admin.query('select value from settings where name = $1', ['sum']);
    assert.equal(rows[0].value, '100');
    await admin.end();
    await db.destroy();
  });

  it('stores once the units that last through an outage, and gives up those that do not', async () => {
    const own = await stoppable();
    const db = await openTeamState(await own.createDatabase(), { patienceMs: 500 });
    const add = (name: string, onAway?: Waiting['onAway']) =>
      db.commit((unit) => unit.do(unit.build.insertInto('settings').values({ name, value: '' })), name, {
        since: performance.now(),
        outlasts: onAway !== undefined,
        ...(onAway === undefined ? {} : { onAway }),
      });
    await add('before');
    await own.stop();
    const seen = new Set<boolean>();
    const began = performance.now();
    // More units than there are connections, so that some of them wait for one.
    const lasting = Array.from({ length: 10 }, (_, at) =>
      add(`lasts ${at}`, (givenUpBefore) => {
        seen.add(givenUpBefore > began);
      }),
    );
    const read = db.outlasting(() => names(db));
    await assert.rejects(add('given up'), { name: 'DatabaseUnreachable' });
    await assert.rejects(
      db.patiently(() => names(db)),
      { name: 'DatabaseUnreachable' },
    );
    await eventually('they wait longer than requests do', () => seen.has(true));
    assert.deepEqual(seen, new Set([false, true]));
    await own.start();
    await Promise.all(lasting);
    assert.ok((await read).includes('before'));
    assert.deepEqual(await names(db), ['before', ...lasting.map((_, at) => `lasts ${at}`)].toSorted());
    await db.destroy();
  });

  it('waits for nothing when the server stops while it cannot be reached', async () => {
    const own = await stoppable();
    const db = await openTeamState(await own.createDatabase());
    await own.stop();
    const lasting = db.commit((unit) => unit.run(insertSetting, { name: 'lasts', value: '' }), 'thread', {
      since: performance.now(),
      outlasts: true,
      onAway: () => db.stopWaiting(),
    });
    await assert.rejects(lasting, { name: 'DatabaseUnreachable' });
    await assert.rejects(
      db.outlasting(() => names(db)),
      { name: 'DatabaseUnreachable' },
    );
    await db.destroy();
  });

  it('reports a connection that ended between two queries only to the next query', async () => {
    const url = await postgres.createDatabase();
    const admin = new pg.Client(url);
    await admin.connect();
    const db = await openTeamState(url);
    const asking = db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
      await admin.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await sql`select 1`.execute(transaction);
    });
    await assert.rejects(asking, { name: 'DatabaseUnreachable' });
    await admin.end();
    await db.destroy();
  });

  it('is taken over at the next check when a check had to be given up', async () => {
    const url = await postgres.createDatabase();
    const admin = new pg.Client(url);
    await admin.connect();
    const db = await openTeamState(url);
    const count = async (query: string) => Number((await admin.query(query)).rows[0].count);
    /** The sessions that show that the server's process is alive. */
    const sessions = async () =>
      (await admin.query('select pid from pg_locks where classid = $1 and granted', [NODE_LOCKS])).rows;
    const before = await sessions();
    assert.equal(before.length, 1);
    await admin.query('select pg_advisory_lock($1, 0)', [SERVING_LOCK]);
    await admin.query(`insert into nodes (expires_at, deployments) values ('2000-01-01', '{}')`);
    const waiting = () =>
      count(`select count(*) from pg_locks where classid = ${SERVING_LOCK} and not granted`);
    for (let looks = 0; looks < 2; looks++) {
      await eventually('it wants to take over', waiting, (waits) => waits === 1, 30_000);
      assert.deepEqual(await sessions(), before);
      if (looks === 0) await eventually('it gives up', waiting, (waits) => waits === 0, 30_000);
    }
    await admin.query('select pg_advisory_unlock($1, 0)', [SERVING_LOCK]);
    await eventually(
      'it has taken over',
      () => count('select count(*) from nodes'),
      (nodes) => nodes === 1,
    );
    await admin.end();
    await db.destroy();
  });

  it('is taken over from a server that holds up the takeover from another one', async () => {
    const url = await postgres.createDatabase();
    const db = await openTeamState(url);
    const admin = new pg.Client(url);
    await admin.connect();
    const { rows } = await admin.query<{ number: string }>(
      `insert into nodes (expires_at, deployments) values ('infinity', '{}'), ('infinity', '{}') returning number`,
    );
    const [held, holding] = rows;
    // A unit that it has begun locks the row of the other one, and never ends.
    const unit = new pg.Client({
      connectionString: url,
      application_name: `agent-harbor ${holding?.number}`,
    });
    unit.on('error', () => {});
    await unit.connect();
    await unit.query('begin');
    await unit.query('select from nodes where number = $1 for key share', [held?.number]);
    await admin.query(`update nodes set expires_at = '-infinity' where expires_at = 'infinity'`);
    await eventually(
      'both are taken over',
      async () => (await admin.query('select from nodes')).rowCount,
      (nodes) => nodes === 1,
      30_000,
    );
    await admin.end();
    await db.destroy();
  });

  it('is given up by a server whose heartbeat has died, before others take over from it', async () => {
    const url = await postgres.createDatabase();
    const dying = new URL('../../../support/dying-heartbeat.ts', import.meta.url);
    const db = await openPostgresState(url, dying);
    assert.match((await db.lost).message, /heartbeat of this server has stopped/);
    await db.drain();
    await db.destroy();
  });

  it('is refused once a newer version has used it', async () => {
    const url = await postgres.createDatabase();
    const db = await openTeamState(url);
    await sql`insert into migrations values ('0099-later', 'now')`.execute(db);
    await db.destroy();
    await assert.rejects(openTeamState(url), /written by a newer version of Agent Harbor/);
  });

  it('is not updated while a backup reads it, as all servers would wait behind that and lose their leases', async () => {
    const url = await postgres.createDatabase();
    const known = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0012'));
    const earlier = await openTeamState(url, { known });
    const backup = new pg.Client(url);
    await backup.connect();
    await backup.query('begin');
    await backup.query('select from runs');
    await assert.rejects(openTeamState(url), (error: unknown) => {
      assert.ok(error instanceof Error);
      assert.equal(
        error.message,
        'The database could not be updated to this version, because a table that the update changes is in use, for example by a backup. Nothing was changed. Start this server again when no backup runs.',
      );
      return true;
    });
    await earlier.commit((unit) => unit.run(insertSetting, { name: 'goes on', value: '' }));
    await backup.end();
    await (await openTeamState(url)).destroy();
    await earlier.destroy();
  });

  describe('of a database with limits meant for people at a prompt', () => {
    const limits = [
      'lock_timeout',
      'statement_timeout',
      'idle_in_transaction_session_timeout',
      'idle_session_timeout',
      'transaction_timeout',
    ];
    let url: string;
    let admin: pg.Client;
    let holder: pg.Client;
    let db: PostgresState;
    before(async () => {
      url = await postgres.createDatabase();
      admin = new pg.Client(url);
      holder = new pg.Client(url);
      await Promise.all([admin.connect(), holder.connect()]);
      const name = new URL(url).pathname.slice(1);
      for (const limit of limits) await admin.query(`alter database ${name} set ${limit} = '400ms'`);
      db = await openTeamState(url, { patienceMs: 2_000 });
      await db.commit((unit) => unit.run(insertSetting, { name: 'before', value: '' }));
    });
    after(async () => {
      await admin?.end();
      await holder?.end();
      await db?.destroy();
    });

    const waiting = async () =>
      (
        await admin.query<{ pid: number }>(
          `select pid from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'agent-harbor ${db.node}'`,
        )
      ).rows;
    const outlasting = () => ({ since: performance.now(), outlasts: true });

    it('waits for locks that are held longer than that, and keeps its connections meanwhile', async () => {
      await holder.query('begin');
      await holder.query('lock table settings in access exclusive mode');
      const stored = db.commit(
        (unit) => unit.run(insertSetting, { name: 'waits', value: '' }),
        'thread',
        outlasting(),
      );
      const read = db.outlasting(() => names(db));
      const idle = db.transaction().execute(async (transaction) => {
        await sql`select 1`.execute(transaction);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return sql`select 1`.execute(transaction);
      });
      await Promise.race([Promise.all([stored, read]), idle]);
      assert.equal((await waiting()).length, 2);
      await idle;
      await holder.query('commit');
      await stored;
      await read;
      assert.deepEqual(await names(db), ['before', 'waits']);
    });

    it('asks again when somebody cancels a waiting query, as long as its caller waits', async () => {
      await holder.query('begin');
      await holder.query('lock table settings in access exclusive mode');
      const add = (name: string, outlasts: boolean) =>
        db.commit((unit) => unit.run(insertSetting, { name, value: '' }), name, {
          since: performance.now(),
          outlasts,
        });
      const stored = add('outlasts', true);
      const read = db.outlasting(() => names(db));
      const givenUp = assert.rejects(add('given up', false), { code: '57014' });
      let isOver = false;
      const canceling = (async () => {
        let canceled = 0;
        while (!isOver || canceled < 6) {
          const pids = (await eventually('they wait', waiting, (rows) => rows.length > 0)).map(
            ({ pid }) => pid,
          );
          await admin.query('select pg_cancel_backend(pid) from unnest($1::int[]) as pid', [pids]);
          canceled += pids.length;
        }
      })();
      await givenUp;
      isOver = true;
      await canceling;
      await holder.query('commit');
      await stored;
      assert.ok((await read).includes('before'));
      assert.deepEqual(await names(db), ['before', 'outlasts', 'waits']);
    });
  });

  it('stores nothing of a unit that is refused or fails, and continues with the next', async () => {
    const db = await openTeamState(await postgres.createDatabase());
    const insert = (name: string) => ({ name, value: '' });
    // Units that belong to no thread may overtake each other, so this waits for the row that has the next one refused.
    await db.commit((unit) => {
      unit.run(insertSetting, insert('a'));
      unit.expect(insertSetting, insert('b'), 'stale');
    });
    const refused = db.commit((unit) => {
      unit.run(insertSetting, insert('c'));
      unit.expect(insertSetting, insert('b'), 'stale');
      unit.run(insertSetting, insert('d'));
    });
    const failed = db.commit((unit) => {
      unit.run(insertSetting, insert('e'));
      unit.do(unit.build.insertInto('api_key_workspaces').values({ api_key_id: 'x', workspace_id: 'y' }));
    });
    const next = db.commit((unit) => unit.run(insertSetting, insert('f')));
    await assert.rejects(refused, (error) => isRefused(error, 'stale'));
    await assert.rejects(failed, /foreign key/);
    await next;
    assert.deepEqual(await names(db), ['a', 'b', 'f']);
    await db.destroy();
  });
});
