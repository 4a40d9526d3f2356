import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import pg from 'pg';
import { CheckpointStore } from '../../../../../src/server/agent-server/data/checkpoints/checkpoint-store.ts';
import { copyCheckpoints } from '../../../../../src/server/agent-server/data/checkpoints/copy-thread.ts';
import { leaveBase } from '../../../../../src/server/agent-server/data/checkpoints/shared-rows.ts';
import { deleteContents } from '../../../../../src/server/agent-server/data/delete-in-slices.ts';
import { ThreadStore } from '../../../../../src/server/agent-server/data/thread-store.ts';
import { openStateDatabase } from '../../../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../../../src/server/storage/state-database.ts';
import { random } from '../../../../faults/random.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../../support/deployment-database.ts';
import { type Postgres, requirePostgres } from '../../../../support/postgres.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { eventually } from '../../../../support/wait.ts';

const SEEDS = { SQLite: 8, PostgreSQL: 1 };
const STEPS = 40;
const NAMESPACES = ['', 'sub'];
const TASKS = ['a', 'b'];
/** Negative indexes replace earlier writes. */
const INDEXES = [-3, -1, 0, 1];

const text = (data: string) => ({ type: 'json', encoding: 'utf8' as const, data: JSON.stringify(data) });

interface Place {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}

/** The numbers of units after which the deletion is killed. */
const UNITS_UNTIL_KILLED = [1, 2, 3, 4, 5, 6, 50];
const CHECKPOINTS = 120;

describe('a copy of a thread', function () {
  this.timeout(120_000);

  it('stays whole when the server is killed again and again while it deletes the source', async () => {
    await using folder = await temporaryFolder();
    const first = await deploymentDatabase({ dataDir: folder.path });
    const threads = new Threads(first.db, true);
    await threads.create('t');
    let parent: Place | undefined;
    for (let step = 0; step < CHECKPOINTS; step++) {
      const place = { checkpoint_ns: '', checkpoint_id: `c${step}` };
      await threads.put('t', place, `v${step}`, parent);
      await threads.write('t', place, `a of ${step}`, 0, `by ${step}`);
      parent = place;
    }
    await threads.copy('t', 'u');
    const expected = await threads.read('u');
    await first[Symbol.asyncDispose]();
    const program = path.join(import.meta.dirname, 'killed-deletion.ts');
    const ends: ('killed' | 'done')[] = [];
    for (const units of UNITS_UNTIL_KILLED) {
      const deleting = spawn(process.execPath, [program, folder.path, 't', String(units)], {
        stdio: 'inherit',
      });
      const [code, signal] = (await once(deleting, 'exit')) as [number | null, string | null];
      // Windows has no signals: a process that kills itself ends with 1.
      const isKilled = signal === 'SIGKILL' || (process.platform === 'win32' && code === 1);
      assert.ok(code === 0 || isKilled, `exit code ${code}`);
      ends.push(isKilled ? 'killed' : 'done');
      const db = await openStateDatabase(folder.path);
      assert.deepEqual(await new Threads(db, true).read('u'), expected);
      await db.destroy();
    }
    assert.ok(ends.filter((end) => end === 'killed').length > 4, 'it was killed before it was done');
    assert.equal(ends.at(-1), 'done');
    const db = await openStateDatabase(folder.path);
    await new Threads(db, true).delete('t');
    assert.deepEqual(await new Threads(db, true).read('u'), expected);
    await db.destroy();
  });
});

/** Threads of a database, whose copies share all possible rows, or none. */
class Threads {
  readonly db: StateDatabase;
  readonly checkpoints: CheckpointStore;
  readonly #threads: ThreadStore;
  readonly #isShared: boolean;

  constructor(db: StateDatabase, isShared: boolean) {
    this.db = db;
    this.checkpoints = new CheckpointStore(db);
    this.#threads = new ThreadStore(db, DEPLOYMENT);
    this.#isShared = isShared;
  }

  create(id: string): Promise<void> {
    const row = this.#threads.makeRow(id, {});
    return this.db.commit((unit) => this.#threads.insert(unit, row), id);
  }

  /** @param parent the checkpoint that has the value of its other channel. */
  put(thread_id: string, place: Place, value: string, parent?: Place, run_id: string | null = null) {
    const kept = parent === undefined ? {} : { kept: parent.checkpoint_id };
    return this.db.commit(
      (unit) =>
        this.checkpoints.put(
          unit,
          {
            ...{ thread_id, run_id, ...place, checkpoint: text(value) },
            parent_checkpoint_id: parent?.checkpoint_id ?? null,
            channel_versions: { value, ...kept },
            channel_values: { value: text(value), ...(parent && { kept: text(parent.checkpoint_id) }) },
            metadata: { thread_id, said: value },
          },
          null,
        ),
      thread_id,
    );
  }

  write(thread_id: string, place: Place, task_id: string, index: number, value: string): Promise<void> {
    const write = { task_id, index, task_path: '', channel: 'c', value: text(value) };
    return this.db.commit(
      (unit) => this.checkpoints.putWrites(unit, { thread_id, run_id: null, ...place, writes: [write] }),
      thread_id,
    );
  }

  async copy(from: string, to: string): Promise<void> {
    await this.db.commit((unit) => {
      this.#threads.copy(unit, from, to);
      copyCheckpoints(unit, from, to);
    }, from);
    if (!this.#isShared) await leaveBase(this.db, to);
  }

  undoRun(threadId: string, runId: string): Promise<void> {
    return this.db.commit((unit) => this.checkpoints.deleteRun(unit, threadId, runId), threadId);
  }

  clear(threadId: string): Promise<void> {
    return this.checkpoints.deleteThread(threadId, (write) => this.db.commit(write, threadId));
  }

  async delete(threadId: string): Promise<void> {
    await deleteContents(this.db, threadId);
    await this.db.commit((unit) => this.#threads.delete(unit, threadId), threadId);
  }

  async read(threadId: string) {
    const newest = NAMESPACES.map((checkpoint_ns) =>
      this.checkpoints.get({ thread_id: threadId, checkpoint_ns }),
    );
    const some = { thread_id: threadId, checkpoint_ns: '', limit: 3 };
    const all = await this.checkpoints.list({ thread_id: threadId });
    const tasks = all.flatMap(({ checkpoint_ns, pending_writes }) =>
      pending_writes.map(({ task_id }) => ({ checkpoint_ns, task_id })),
    );
    const before = all[1]?.checkpoint_id ?? '';
    const searches = [{ thread_id: threadId }, { said: 'v3' }, { said: 'v7', thread_id: threadId }];
    return {
      all,
      found: await Promise.all([
        this.checkpoints.list({ ...some, before }),
        ...searches.map((filter) => this.checkpoints.list({ ...some, filter })),
      ]),
      newest: await Promise.all(newest),
      some: await this.checkpoints.list(some),
      tasks: await Promise.all(
        tasks.map((task) => this.checkpoints.findIdOfTask({ thread_id: threadId, ...task })),
      ),
    };
  }
}

describe('a copy of a copy in PostgreSQL', () => {
  it('waits for writes of another server to the first source', async function () {
    await using postgres = await requirePostgres(this);
    const url = await postgres.createDatabase();
    await using made = await deploymentDatabase({ postgres: url });
    const threads = new Threads(made.db, true);
    await threads.create('t');
    await threads.put('t', { checkpoint_ns: '', checkpoint_id: 'kept' }, 'kept');
    await threads.put('t', { checkpoint_ns: '', checkpoint_id: 'undone' }, 'undone', undefined, 'r');
    await threads.copy('t', 'u');
    const before = JSON.stringify(await threads.read('u'));
    // Another server that has started to store a unit of the source.
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('begin');
    await other.query("select pg_advisory_xact_lock(hashtextextended('t', 0))");
    const undone = threads.undoRun('t', 'r');
    let isCopied = false;
    const copied = threads.copy('u', 'v').then(() => {
      isCopied = true;
    });
    await eventually('two units that wait', async () => {
      const { rows } = await other.query(
        "select 1 from pg_locks where locktype = 'advisory' and not granted",
      );
      return rows.length === 2;
    });
    assert.equal(isCopied, false);
    await other.query('commit');
    await other.end();
    await Promise.all([undone, copied]);
    const expected: unknown = JSON.parse(before.replaceAll('"thread_id":"u"', '"thread_id":"v"'));
    assert.deepEqual(await threads.read('v'), expected);
  });
});

for (const [database, seeds] of Object.entries(SEEDS)) {
  describe(`copies of threads in ${database}`, function () {
    this.timeout(240_000);
    let postgres: Postgres | undefined;
    before(async function () {
      if (database === 'PostgreSQL') postgres = await requirePostgres(this);
    });
    after(() => postgres?.[Symbol.asyncDispose]());
    const open = async () => deploymentDatabase({ postgres: await postgres?.createDatabase() });

    it('read the rows of their source, and none is copied', async () => {
      await using made = await open();
      const threads = new Threads(made.db, true);
      await threads.create('t');
      for (let step = 0; step < 5; step++) {
        const place = { checkpoint_ns: '', checkpoint_id: `c${step}` };
        await threads.put('t', place, `${step}`);
        await threads.write('t', place, 'a', 0, `by ${step}`);
      }
      const count = async () => {
        const tables = ['checkpoints', 'checkpoint_blobs', 'checkpoint_writes'] as const;
        const rows = tables.map((table) => made.db.selectFrom(table).select('thread_id').execute());
        return (await Promise.all(rows)).map(({ length }) => length);
      };
      const before = await count();
      await threads.copy('t', 'u');
      await threads.copy('u', 'v');
      assert.deepEqual(await count(), before);
      const source = JSON.stringify(await threads.read('t'));
      for (const copy of ['u', 'v']) {
        const expected = source.replaceAll('"thread_id":"t"', `"thread_id":"${copy}"`);
        assert.equal(JSON.stringify(await threads.read(copy)), expected);
      }
    });

    it('equal copies of every row, whatever happens to them and their sources', async () => {
      for (let seed = 1; seed <= seeds; seed++) await compare(seed);
    });

    it('are searched by what they read, not by what is stored', async () => {
      await using made = await open();
      const threads = new Threads(made.db, true);
      await threads.create('t');
      for (let step = 0; step < 4; step++)
        await threads.put('t', { checkpoint_ns: '', checkpoint_id: `c${step}` }, 'shared');
      await threads.copy('t', 'u');
      await threads.put('t', { checkpoint_ns: '', checkpoint_id: 'of the source' }, 'shared');
      await threads.put('u', { checkpoint_ns: '', checkpoint_id: 'c1' }, 'changed');
      await threads.put('u', { checkpoint_ns: '', checkpoint_id: 'd' }, 'own');
      const find = async (filter: Record<string, string>, others = {}) => {
        const search = { thread_id: 'u', checkpoint_ns: '', limit: 10, filter, ...others };
        return (await threads.checkpoints.list(search)).map(({ checkpoint_id }) => checkpoint_id);
      };
      assert.deepEqual(await find({ thread_id: 'u' }), ['d', 'c3', 'c2', 'c1', 'c0']);
      assert.deepEqual(await find({ thread_id: 'u' }, { limit: 2 }), ['d', 'c3']);
      assert.deepEqual(await find({ thread_id: 'u', said: 'shared' }), ['c3', 'c2', 'c0']);
      assert.deepEqual(await find({ thread_id: 't' }), []);
      assert.deepEqual(await find({ said: 'shared' }), ['c3', 'c2', 'c0']);
      assert.deepEqual(await find({ said: 'shared' }, { limit: 3 }), ['c3', 'c2', 'c0']);
      assert.deepEqual(await find({ said: 'shared' }, { before: 'd', limit: 1 }), ['c3']);
      assert.deepEqual(await find({ said: 'shared' }, { checkpoint_id: 'c1' }), []);
      assert.deepEqual(await find({ said: 'changed' }), ['c1']);
    });

    it('cannot lose their history to a statement that deletes their source', async () => {
      await using made = await open();
      const threads = new Threads(made.db, true);
      await threads.create('t');
      await threads.put('t', { checkpoint_ns: '', checkpoint_id: 'c' }, 'said');
      await threads.copy('t', 'u');
      await assert.rejects(
        made.db.deleteFrom('threads').where('thread_id', '=', 't').execute(),
        /foreign key/i,
      );
      await made.db.deleteFrom('deployments').execute();
      assert.deepEqual(await made.db.selectFrom('checkpoints').selectAll().execute(), []);
    });

    /** Repeats an action on threads whose copies share rows, and on threads whose copies do not. */
    async function compare(seed: number): Promise<void> {
      await using shared = await open();
      await using apart = await open();
      const both = [new Threads(shared.db, true), new Threads(apart.db, false)] as const;
      const below = random(seed);
      const pick = <Item>(items: readonly Item[]): Item => {
        const item = items[below(items.length)];
        assert.ok(item !== undefined);
        return item;
      };
      const places = new Map<string, Place[]>();
      const runs = new Map<string, string[]>();
      const done: string[] = [];
      const each = async (what: string, work: (threads: Threads) => Promise<unknown>) => {
        done.push(what);
        await work(both[0]);
        await work(both[1]);
      };
      await each('create t0', (threads) => threads.create('t0'));
      places.set('t0', []);
      for (let step = 0; step < STEPS; step++) {
        const thread = pick([...places.keys()]);
        const known = places.get(thread) ?? [];
        const value = `v${step}`;
        const place = known.length === 0 ? undefined : pick(known);
        const what = below(20);
        if (what < 8 || place === undefined) {
          const made = { checkpoint_ns: pick(NAMESPACES), checkpoint_id: `c${step}` };
          const parent = known.findLast(({ checkpoint_ns }) => checkpoint_ns === made.checkpoint_ns);
          const run = pick(['r1', 'r2', null]);
          const runId = run === null ? null : `${thread} ${run}`;
          await each(`put ${thread} ${made.checkpoint_id} ${runId}`, (threads) =>
            threads.put(thread, made, value, parent, runId),
          );
          if (runId !== null) runs.set(runId, [...(runs.get(runId) ?? []), made.checkpoint_id]);
          places.set(thread, [...known, made]);
        } else if (what < 13) {
          const [task, index] = [`${pick(TASKS)} of ${place.checkpoint_id}`, pick(INDEXES)];
          await each(`write ${thread} ${task} ${index}`, (threads) =>
            threads.write(thread, place, task, index, value),
          );
        } else if (what < 16) {
          const copy = `t${step}`;
          await each(`copy ${thread} ${copy}`, (threads) => threads.copy(thread, copy));
          places.set(copy, [...known]);
        } else if (what === 16) {
          const parent = known.find(({ checkpoint_ns }) => checkpoint_ns === place.checkpoint_ns);
          await each(`put again ${thread} ${place.checkpoint_id}`, (threads) =>
            threads.put(thread, place, value, parent),
          );
        } else if (what === 17) {
          const runId = `${thread} r1`;
          await each(`undo ${runId}`, (threads) => threads.undoRun(thread, runId));
          const left = await both[1].checkpoints.list({ thread_id: thread });
          places.set(thread, placesOf(left));
        } else if (what === 18) {
          await each(`keep latest ${thread}`, (threads) => threads.checkpoints.keepLatest(thread));
          places.set(thread, placesOf(await both[1].checkpoints.list({ thread_id: thread })));
        } else if (below(2) === 0) {
          await each(`clear ${thread}`, (threads) => threads.clear(thread));
          places.set(thread, []);
        } else if (places.size > 1) {
          await each(`delete ${thread}`, (threads) => threads.delete(thread));
          places.delete(thread);
        }
        for (const id of places.keys()) {
          const [one, other] = [await both[0].read(id), await both[1].read(id)];
          assert.deepEqual(one, other, `seed ${seed}: ${id} after ${done.join(', ')}`);
        }
      }
    }
  });
}

function placesOf(checkpoints: readonly Place[]): Place[] {
  return checkpoints.map(({ checkpoint_ns, checkpoint_id }) => ({ checkpoint_ns, checkpoint_id })).reverse();
}
