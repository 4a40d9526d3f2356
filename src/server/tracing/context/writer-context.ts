import type { Selectable } from 'kysely';
import type { AuditEntry } from '../../../contract/purging.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { BackgroundWork } from '../database/background-work.ts';
import type { PayloadBlockWriter } from '../database/payload-blocks.ts';
import type { PurgeJobTable, QueuedPurge } from '../database/purge-schema.ts';
import type { RowKeys } from '../database/row-keys.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { WordIndex } from '../database/word-index.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { TraceChange } from './changes.ts';
import type { IngestCaches } from './ingest-caches.ts';

/** Everything that the thread that writes traces uses. */
export interface WriterContext {
  readonly db: TracesDatabase;
  readonly blobs: BlobStore;
  readonly keys: RowKeys;
  readonly caches: IngestCaches;
  readonly blocks: PayloadBlockWriter;
  readonly words: WordIndex;
  readonly prices: PriceBook;
  /** The work that is done between requests. */
  readonly background: BackgroundWork[];
  /** Reports changes outside of requests to the change feed. */
  readonly notify: (workspace: number, changes: readonly TraceChange[]) => void;
  /** Appends to the audit log. */
  readonly audit: (job: AuditedJob, event: AuditEntry['event'], counts: object) => void;
  /** Queues a permanent deletion. @returns the ID of the purge. */
  readonly queuePurge: (purge: QueuedPurge) => string;
  /** Makes the purger look for queued purges. */
  readonly wakePurger: () => void;
  /** Reports whether there is work that must keep the server up. */
  readonly tellBusy: (busy: boolean) => void;
  /** Wakes the background work. */
  readonly nudge: () => void;
}

/** The columns of a purge that the audit log needs. */
type AuditedJob = Pick<Selectable<PurgeJobTable>, 'id' | 'workspace' | 'requested_by' | 'filter'>;
