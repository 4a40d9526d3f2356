import { z } from 'zod';
import { ArchivedRecord, ArchivedThread } from '../contract/agent-server/archive.ts';
import type { Client } from './client.ts';
import { RequestError } from './request-error.ts';
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

export interface ThreadImport {
  readonly threadId: string;
  /** The thread's ID in the archive. */
  readonly archivedId: string;
  readonly status: 'imported' | 'skipped' | 'failed';
  /** Checkpoints, values and writes. */
  readonly records: number;
  readonly error?: unknown;
}

export interface ImportOptions {
  readonly signal?: AbortSignal;
  readonly ifExists?: 'raise' | 'skip' | 'replace';
  /** Creates a new ID for each thread, so that it can exist beside the exported one. */
  readonly newId?: () => string;
}

const BATCH_RECORDS = 1_000;
const BATCH_CHARACTERS = 8_000_000;
/** A page or a batch may contain a single very large value. */
const LONG_CALL: CallOptions = { timeoutMs: 300_000 };

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

/**
 * Imports the threads of an archive one by one, with at most one batch in memory. Threads that cannot be imported are
 * reported as failed, and the import continues.
 * @throws ArchiveError for lines that are not an archive, or not a complete one; the signal's reason when aborted.
 */
export async function* importThreads(
  client: Pick<Client, 'archive'>,
  lines: AsyncIterable<ArchiveLine> | Iterable<ArchiveLine>,
  options: ImportOptions = {},
): AsyncGenerator<ThreadImport, void, undefined> {
  let current: Upload | undefined;
  let threads = 0;
  for await (const line of lines) {
    switch (line.kind) {
      case 'archive':
        break;
      case 'thread':
        if (current !== undefined) yield await current.end();
        current = new Upload(client, line.thread, options);
        threads++;
        break;
      case 'end':
        if (line.threads !== threads)
          throw new ArchiveError(`It should contain ${line.threads} threads but contains ${threads}.`);
        if (current !== undefined) yield await current.end();
        return;
      default:
        if (current === undefined) throw new ArchiveError('It does not start with a thread.');
        await current.add(line);
    }
  }
  throw new ArchiveError('It is incomplete: its end is missing.');
}

/** A file is not an archive, or it is incomplete. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  constructor(why: string) {
    super(`The archive could not be read: ${why}`);
  }
}

/** The upload of one thread, in batches. */
class Upload {
  readonly #client: Pick<Client, 'archive'>;
  readonly #options: ImportOptions;
  readonly #archivedId: string;
  readonly #threadId: string;
  #thread: ArchivedThread | undefined;
  #batch: ArchivedRecord[] = [];
  #characters = 0;
  #records = 0;
  #outcome: Pick<ThreadImport, 'status' | 'error'> | undefined;

  constructor(client: Pick<Client, 'archive'>, thread: ArchivedThread, options: ImportOptions) {
    this.#client = client;
    this.#options = options;
    this.#archivedId = thread.thread_id;
    this.#threadId = options.newId?.() ?? thread.thread_id;
    this.#thread = { ...thread, thread_id: this.#threadId };
  }

  async add(record: ArchivedRecord): Promise<void> {
    if (this.#outcome !== undefined) return;
    this.#batch.push(this.#rename(record));
    this.#records++;
    this.#characters +=
      record.kind === 'checkpoint' ? record.checkpoint.data.length : record.value.data.length;
    if (this.#batch.length >= BATCH_RECORDS || this.#characters >= BATCH_CHARACTERS) await this.#send(false);
  }

  async end(): Promise<ThreadImport> {
    if (this.#outcome === undefined) await this.#send(true);
    const { status, error } = this.#outcome ?? { status: 'imported' };
    return {
      threadId: this.#threadId,
      archivedId: this.#archivedId,
      status,
      records: this.#records,
      ...(error === undefined ? {} : { error }),
    };
  }

  async #send(last: boolean): Promise<void> {
    const { signal, ifExists = 'raise' } = this.#options;
    const body = { records: this.#batch, last, if_exists: ifExists };
    const thread = this.#thread;
    this.#thread = undefined;
    this.#batch = [];
    this.#characters = 0;
    try {
      const { status } = await this.#client.archive.importThread(
        {
          params: { thread_id: this.#threadId },
          body: thread === undefined ? body : { ...body, thread },
        },
        { ...LONG_CALL, signal },
      );
      if (status !== 'unfinished') this.#outcome = { status };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      this.#outcome = { status: 'failed', error };
    }
  }

  /** Replaces the ID of the thread in the metadata of a checkpoint. */
  #rename(record: ArchivedRecord): ArchivedRecord {
    if (record.kind !== 'checkpoint' || this.#threadId === this.#archivedId) return record;
    if (record.metadata.thread_id !== this.#archivedId) return record;
    return { ...record, metadata: { ...record.metadata, thread_id: this.#threadId } };
  }
}
