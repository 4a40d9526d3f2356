import { Expiry } from '../purging/expiry.ts';
import { Purger } from '../purging/purger.ts';
import { Blobs } from '../storage/blobs.ts';
import { RowKeys } from '../storage/row-keys.ts';
import type { TracesDatabase } from '../storage/traces-database.ts';
import type { WriterNotice } from '../storage/worker-protocol.ts';
import { IngestCaches } from './ingestion/ingest-caches.ts';
import { PayloadBlockWriter } from './ingestion/payload-blocks.ts';
import { SpanPatience } from './otlp/place-spans.ts';
import { WordIndex } from './query/word-index.ts';
import { RuleRunner } from './rules/rule-runner.ts';
import { nowMicros } from './time.ts';
import type { WriterContext } from './writer-context.ts';

/**
 * What the writing thread works with, its background work included.
 * @param options.nudge has the background work looked at again.
 */
export function makeWriterContext(options: {
  db: TracesDatabase;
  dataDir: string;
  send: (notice: WriterNotice) => void;
  nudge: () => void;
  /** Tells expiry the time, in microseconds. */
  now?: () => number;
}): WriterContext {
  const { db } = options;
  const blobs = new Blobs(options.dataDir);
  const keys = new RowKeys(db);
  const context: WriterContext = {
    db,
    blobs,
    keys,
    words: new WordIndex(db, blobs),
    caches: new IngestCaches(),
    blocks: new PayloadBlockWriter(db, keys),
    background: [],
    notify: (workspace, changes) => {
      if (changes.length === 0) return;
      const row = db.statement('SELECT id FROM workspaces WHERE key = ?').get(workspace);
      options.send({ notice: { workspaceId: String(row?.id ?? ''), changes } });
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
    wakePurger: () => purger.wake(),
    tellBusy: (busy) => options.send({ notice: { busy } }),
    nudge: options.nudge,
  };
  const purger = new Purger(context, options.dataDir);
  context.background.push(
    context.words,
    purger,
    new Expiry(context, options.now),
    new SpanPatience(context),
    new RuleRunner(context),
  );
  return context;
}
