import { WordIndex } from '../../tracing/database/word-index.ts';
import { PostgresBlobs } from '../traces/postgres-blobs.ts';
import { openPostgresTraces } from '../traces/postgres-traces.ts';

const SLICE_MS = 1_000;

/**
 * Builds the full-text index of a team's traces from their payloads, because a folder's index does not
 * contain texts that could be moved. The next call continues an interrupted one.
 * @param link the entry point of the thread that connects to the database.
 */
export async function indexWords(database: string, link: URL): Promise<void> {
  const db = await openPostgresTraces({ url: database, thread: link }, 'write');
  try {
    const words = new WordIndex(db, new PostgresBlobs(db));
    while (words.advance(SLICE_MS));
  } finally {
    db.close();
  }
}
