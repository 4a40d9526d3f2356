import { Expiry } from '../purging/expiry.ts';
import { addJob } from '../purging/purge-jobs.ts';
import { Purger } from '../purging/purger.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { IngestCaches } from '../tracing/context/ingest-caches.ts';
import type { WriterContext } from '../tracing/context/writer-context.ts';
import { PayloadBlockWriter } from '../tracing/database/payload-blocks.ts';
import { RowKeys } from '../tracing/database/row-keys.ts';
import { nowMicros } from '../tracing/database/time.ts';
import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import { WordIndex } from '../tracing/database/word-index.ts';
import { PendingSpans } from '../tracing/otlp/pending-spans.ts';
import { PriceBook } from '../tracing/prices/price-book.ts';
import { RuleRunner } from '../tracing/rules/rule-runner.ts';
import type { ThreadNotice } from './worker-protocol.ts';

/**
 * Creates everything that the writing thread uses, including its background work.
 * @param options.nudge makes the thread check the background work again.
 */
export function makeWriterContext(options: {
  db: TracesDatabase;
  blobs: BlobStore;
  dataDir: string;
  send: (notice: ThreadNotice) => void;
  nudge: () => void;
  /** The clock for expiry, in microseconds. */
  now?: () => number;
}): WriterContext {
  const { db, blobs } = options;
  const keys = new RowKeys(db);
  const context: WriterContext = {
    db,
    blobs,
    keys,
    words: new WordIndex(db, blobs),
    prices: new PriceBook(options.dataDir),
    caches: new IngestCaches(),
    blocks: new PayloadBlockWriter(db, keys),
    background: [],
    notify: (workspace, changes) => {
      if (changes.length === 0) return;
      const row = db.statement('SELECT id FROM workspaces WHERE key = ?').get(workspace);
      // A workspace that does not exist has no change feed.
      if (row !== undefined) options.send({ notice: { workspaceId: String(row.id), changes } });
    },
    audit: (job, event, counts) => {
      db.run(
        db.build.insertInto('purge_audit').values({
          workspace: job.workspace,
          at: nowMicros(),
          job_id: job.id,
          event,
          requested_by: job.requested_by,
          filter: job.filter,
          counts: JSON.stringify(counts),
        }),
      );
    },
    queuePurge: (purge) => addJob(context, purge),
    wakePurger: () => purger.wake(),
    tellBusy: (busy) => options.send({ notice: { busy } }),
    nudge: options.nudge,
  };
  const purger = new Purger(context, options.dataDir);
  db.whenOthersWrote(() => {
    context.caches.clear();
    context.words.forget();
    keys.forget();
  });
  context.background.push(
    context.words,
    purger,
    new Expiry(context, options.now),
    new PendingSpans(context),
    new RuleRunner(context),
  );
  return context;
}
