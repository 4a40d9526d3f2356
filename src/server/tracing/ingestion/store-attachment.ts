import type { WriterContext } from '../context/writer-context.ts';
import type { Part } from '../runs/parts.ts';
import type { RunDraft } from './run-draft.ts';

/** Stores an attachment of a run, in the row or as a blob, replacing one with the same name. */
export function storeAttachment(
  { db, blobs }: Pick<WriterContext, 'db' | 'blobs'>,
  run: Pick<RunDraft, 'key' | 'trace' | 'traceId'>,
  attachment: {
    readonly name: string;
    readonly part: Part;
    /** The retention of the run's trace. */
    readonly ttlDays: number;
    bytesOf(part: Part): Buffer;
  },
): void {
  const { name, part, ttlDays, bytesOf } = attachment;
  const { staged, object } = part;
  const blob = staged === undefined ? null : blobs.keep({ staged, object }, ttlDays, run.traceId);
  db.statement(
    `INSERT INTO attachments (run, trace, name, content_type, length, data, blob) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run, name) DO UPDATE SET trace = excluded.trace, content_type = excluded.content_type,
       length = excluded.length, data = excluded.data, blob = excluded.blob`,
  ).run(run.key, run.trace, name, part.contentType, part.length, blob === null ? bytesOf(part) : null, blob);
}
