import assert from 'node:assert/strict';
import path from 'node:path';
import { Kysely } from 'kysely';
import { matchingTraces } from '../../../../src/server/purging/match-traces.ts';
import { migrate } from '../../../../src/server/storage/migrate.ts';
import { NodeSqliteDialect } from '../../../../src/server/storage/node-sqlite-dialect.ts';
import { openSqlite } from '../../../../src/server/storage/open-sqlite.ts';
import {
  openTracesDatabase,
  tracesMigrations,
} from '../../../../src/server/tracing/database/sqlite-traces.ts';
import type { TracesDatabase } from '../../../../src/server/tracing/database/traces-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('labels stored before they had a type', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let db: TracesDatabase;
  before(async () => {
    folder = await temporaryFolder();
    const database = openSqlite(path.join(folder.path, 'traces.db'));
    const old = new Kysely<unknown>({ dialect: new NodeSqliteDialect(database) });
    const migrations = Object.fromEntries(
      Object.entries(tracesMigrations).filter(([name]) => name < '0006-label-types'),
    );
    await migrate(old, { migrations, database, name: 'traces', dataDir: folder.path });
    database.exec(`INSERT INTO sessions (id, workspace, name, start_time) VALUES ('s', 1, 's', 0);
      INSERT INTO traces (key, id, workspace, session, tier, ttl_days, first_received_at, expires_at, run_count)
        VALUES (7, 't', 1, 1, 'longlived', 1, 0, 0, 1);
      INSERT INTO labels (session, kind, name, value) VALUES (1, 'metadata', 'b', 'true'), (1, 'tag', 'x', ''),
        (1, 'metadata', 'gone', '');
      DELETE FROM labels WHERE name = 'gone';
      INSERT INTO runs (key, id, workspace, session, trace, name, run_type, status, start_time, payloads, labels,
          received_at, dotted_order)
        VALUES (5, 'r', 1, 1, 7, 'r', 'chain', 'success', 0, '{}', '[1,2]', 0, '');
      INSERT INTO run_labels (label, run) VALUES (1, 5), (2, 5)`);
    await old.destroy();
    db = await openTracesDatabase(folder.path);
  });
  after(async () => {
    db?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  it('are read, and match any equal-looking value', () => {
    const tracesWith = (b: string | number | boolean) =>
      db.all(matchingTraces(db, 1, { metadata: { b } }, new Set()).select('traces.id'));
    for (const value of [true, 'true'])
      assert.deepEqual(
        tracesWith(value).map(({ id }) => id),
        ['t'],
      );
    assert.deepEqual(tracesWith(1), []);
    const labels = db.all(db.build.selectFrom('labels').selectAll());
    assert.deepEqual(
      labels.map(({ key, name, type }) => `${key} ${name} ${type}`),
      ['1 b unknown', '2 x text'],
    );
  });

  it('do not pass on their keys when they are deleted', () => {
    const next = db.insert(
      db.build
        .insertInto('labels')
        .values({ session: 1, kind: 'tag', name: 'new', value: '', type: 'text' })
        .returning('key'),
    );
    assert.equal(next.key, 4);
  });
});
