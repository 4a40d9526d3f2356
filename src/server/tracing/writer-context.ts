import type { Blobs } from '../storage/blobs.ts';
import type { RowKeys } from '../storage/row-keys.ts';
import type { TracesDatabase } from '../storage/traces-database.ts';
import type { BackgroundWork } from '../storage/worker-loop.ts';
import type { IngestCaches } from './ingestion/ingest-caches.ts';
import type { PayloadBlockWriter } from './ingestion/payload-blocks.ts';
import type { WordIndex } from './query/word-index.ts';

/** What the one writer of `traces.db` works with. */
export interface WriterContext {
  readonly db: TracesDatabase;
  readonly blobs: Blobs;
  readonly keys: RowKeys;
  readonly caches: IngestCaches;
  readonly blocks: PayloadBlockWriter;
  readonly words: WordIndex;
  /** What goes on between requests. */
  readonly background: readonly BackgroundWork[];
}
