import { type Kysely, type Migration, sql } from 'kysely';

/** Large payloads in the object store, and the objects that no payload is in. */
export const objects: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  // The data, or the object that has it and the beginning of the data, which searches and previews read.
  `ALTER TABLE blobs
    ALTER COLUMN data DROP NOT NULL,
    ADD COLUMN object text COLLATE "C",
    ADD COLUMN head bytea,
    ADD CONSTRAINT blobs_are_somewhere CHECK ((data IS NULL) <> (object IS NULL))`,
  'ALTER TABLE blobs ALTER COLUMN head SET STORAGE EXTERNAL',
  // What is being uploaded, and what is to be removed: from when on, and since when it can be nobody's any more.
  `CREATE TABLE loose_objects (
    name text COLLATE "C" PRIMARY KEY,
    due timestamptz NOT NULL,
    doomed_at timestamptz
  )`,
  'CREATE INDEX loose_objects_by_time ON loose_objects (due)',
  // However a row goes, its object is not forgotten.
  `CREATE FUNCTION let_object_go() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO loose_objects VALUES (OLD.object, clock_timestamp(), clock_timestamp()) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER blobs_let_objects_go AFTER DELETE ON blobs
    FOR EACH ROW WHEN (OLD.object IS NOT NULL) EXECUTE FUNCTION let_object_go()`,
];
