import { HttpError, notFound } from '../../http/errors.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { requireRun } from './read-run.ts';

/** Reads the bytes of an attachment, and its content type. @throws HttpError 404 */
export function readAttachment(
  context: ReaderContext,
  request: { workspaceId: string; runId: string; name: string },
): { contentType: string; bytes: Uint8Array } {
  const run = requireRun(context, request.workspaceId, request.runId);
  return attachmentOf(context, run.key, request.name);
}

/** Reads the attachment behind a signed link. @throws HttpError 404 */
export function openAttachment(
  context: ReaderContext,
  request: { token: string },
): { contentType: string; bytes: Uint8Array } {
  const found = context.links?.open(request.token);
  if (found === undefined) throw new HttpError(404, 'This link is not valid or has expired.');
  if (found.kind === 'run') return attachmentOf(context, found.key, found.name);
  const row = context.db.get(
    context.db.build
      .selectFrom('example_files')
      .selectAll()
      .where('key', '=', found.key)
      .where('workspace', '=', found.workspace),
  );
  if (row === undefined) throw notFound('Attachment', found.name);
  return { contentType: row.content_type, bytes: row.data };
}

function attachmentOf(
  context: ReaderContext,
  run: number,
  name: string,
): { contentType: string; bytes: Uint8Array } {
  const row = context.db.get(
    context.db.build.selectFrom('attachments').selectAll().where('run', '=', run).where('name', '=', name),
  );
  const bytes = row?.data ?? (row?.blob == null ? undefined : context.blobs.read(row.blob));
  if (row === undefined || bytes === undefined) throw notFound('Attachment', name);
  return { contentType: row.content_type, bytes };
}
