import type { ArchivedRecord, ArchivedThread } from '../contract/agent-server/archive.ts';
import type { Client } from './client.ts';
import { ArchiveError, type ArchiveLine, LONG_CALL } from './thread-archive.ts';

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
  /** The treatment of threads whose ID exists already; by default `raise`, which reports them as failed. */
  readonly ifExists?: 'raise' | 'skip' | 'replace';
  /** Creates a new ID for each thread, so that it can exist beside the exported one. */
  readonly newId?: () => string;
}

/** A batch is sent when it has this many records, or their values this many characters. */
const BATCH_RECORDS = 1_000;
const BATCH_CHARACTERS = 8_000_000;

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
