import type { Client } from './client.ts';
import { RequestError } from './request-error.ts';
import { type ArchiveLine, archiveOf, LONG_CALL, type ThreadLine } from './thread-archive.ts';

export interface ExportOptions {
  readonly signal?: AbortSignal;
  readonly onThread?: (threadId: string) => void;
  /** Skips threads that no longer exist. */
  readonly skipMissing?: boolean;
}

/**
 * Exports threads with their whole history, line by line, with at most one page in memory.
 * @throws RequestError while iterating; the signal's reason when aborted.
 */
export function exportThreads(
  client: Pick<Client, 'archive'>,
  threadIds: AsyncIterable<string> | Iterable<string>,
  options: ExportOptions = {},
): AsyncGenerator<ArchiveLine, void, undefined> {
  return archiveOf(exportLines(client, threadIds, options));
}

async function* exportLines(
  { archive }: Pick<Client, 'archive'>,
  threadIds: AsyncIterable<string> | Iterable<string>,
  options: ExportOptions,
): AsyncGenerator<ThreadLine, void, undefined> {
  for await (const thread_id of threadIds) {
    const params = { thread_id };
    const callOptions = { ...LONG_CALL, signal: options.signal };
    const first = await archive.exportThread({ params }, callOptions).catch((error: unknown) => {
      if (options.skipMissing && error instanceof RequestError && error.status === 404) return undefined;
      throw error;
    });
    if (first === undefined) continue;
    yield { kind: 'thread', thread: first.thread };
    yield* first.records;
    for (let cursor = first.next; cursor !== null; ) {
      const page = await archive.exportThread({ params, query: { cursor } }, callOptions);
      yield* page.records;
      cursor = page.next;
    }
    options.onThread?.(thread_id);
  }
}
