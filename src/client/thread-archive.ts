import { z } from 'zod';
import { ArchivedRecord, ArchivedThread } from '../contract/agent-server/archive.ts';
import type { CallOptions } from './transport.ts';

/** A line of an archive. An archive has a head, then each thread followed by its records, then its end. */
export const ArchiveLine = z.union([
  z.object({
    kind: z.literal('archive'),
    format: z.literal('agent-harbor-threads'),
    version: z.literal(1),
    created_at: z.string(),
  }),
  z.object({ kind: z.literal('thread'), thread: ArchivedThread }),
  ArchivedRecord,
  z.object({ kind: z.literal('end'), threads: z.int() }),
]);
export type ArchiveLine = z.output<typeof ArchiveLine>;
/** A line between the head of an archive and its end. */
export type ThreadLine = Exclude<ArchiveLine, { kind: 'archive' | 'end' }>;

/** A page or a batch may contain a single very large value. */
export const LONG_CALL: CallOptions = { timeoutMs: 300_000 };

/** Makes an archive of threads, each followed by its records. */
export async function* archiveOf(
  lines: AsyncIterable<ThreadLine>,
): AsyncGenerator<ArchiveLine, void, undefined> {
  yield {
    kind: 'archive',
    format: 'agent-harbor-threads',
    version: 1,
    created_at: new Date().toISOString(),
  };
  let threads = 0;
  for await (const line of lines) {
    if (line.kind === 'thread') threads++;
    yield line;
  }
  yield { kind: 'end', threads };
}

/** A file is not an archive, or it is incomplete. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  constructor(why: string) {
    super(`The archive could not be read: ${why}`);
  }
}
