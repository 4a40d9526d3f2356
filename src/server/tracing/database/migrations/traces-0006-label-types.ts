import { type Kysely, type Migration, sql } from 'kysely';

/** Tells metadata that is text from numbers and booleans that read alike. For labels written before, this is unknown. */
export const labelTypes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

// The type belongs to what makes a label unique, and SQLite changes no constraint of a table that is there.
const STATEMENTS = [
  `CREATE TABLE typed_labels (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    type TEXT NOT NULL,
    UNIQUE (name, value, kind, session, type)
  )`,
  `INSERT INTO typed_labels (key, session, kind, name, value, type)
    SELECT key, session, kind, name, value, iif(kind = 'tag', 'text', 'unknown') FROM labels ORDER BY key`,
  // A key is never given twice: the check after a purge looks for the keys that went.
  `DELETE FROM sqlite_sequence WHERE name = 'typed_labels'`,
  `INSERT INTO sqlite_sequence (name, seq) SELECT 'typed_labels', seq FROM sqlite_sequence WHERE name = 'labels'`,
  'DROP TABLE labels',
  'ALTER TABLE typed_labels RENAME TO labels',
];
