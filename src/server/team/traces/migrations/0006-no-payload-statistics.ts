import { type Kysely, type Migration, sql } from 'kysely';

/** The columns with compressed payloads, which no condition ever asks for. */
const PAYLOADS: Readonly<Record<string, readonly string[]>> = {
  payload_blocks: ['data'],
  attachments: ['data'],
  early_patches: ['parts'],
  early_spans: ['data'],
  example_files: ['data'],
  blobs: ['data', 'head'],
};

/**
 * Keeps payloads out of the planner's statistics, where a purge would have to look for them. Giving a column the type
 * that it has removes what PostgreSQL has collected of it.
 */
export const noPayloadStatistics: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const [table, columns] of Object.entries(PAYLOADS)) {
      const changes = columns.flatMap((column) => [
        `ALTER COLUMN ${column} TYPE bytea`,
        `ALTER COLUMN ${column} SET STATISTICS 0`,
      ]);
      await sql.raw(`ALTER TABLE ${table} ${changes.join(', ')}`).execute(db);
    }
  },
};
