import { WordIndex } from '../../tracing/database/word-index.ts';
import { PostgresBlobs } from '../traces/postgres-blobs.ts';
import { openPostgresTraces } from '../traces/postgres-traces.ts';

const SLICE_MS = 1_000;

/**
 * Makes the full-text index of a team's traces. The one of a folder holds no texts that could be moved, and is made of the
 * payloads again, behind the last one that was.
 * @param link the entry of the thread of its connection.
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
