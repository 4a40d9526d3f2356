import type { Client } from '../client/client.ts';
import { importThreads } from '../client/import-threads.ts';
import { archiveOf, type ThreadLine } from '../client/thread-archive.ts';
import type { RecordingLine } from '../contract/agent-server/exchanges.ts';
import { RunFileError } from '../replay/read-run-file.ts';
import type { Kinds, RunFileLine } from '../replay/run-file.ts';
import type { OpenLines } from './run-file-outline.ts';

/** A request is sent when the bodies in its batch have this many characters. */
const BATCH_CHARACTERS = 4_000_000;

const THREAD_KINDS: Kinds = new Set(['thread', 'checkpoint', 'value', 'write']);
const RECORDING_KINDS: Kinds = new Set(['exchange', 'exchange_part']);

/**
 * Creates the thread on which the runs of a file are replayed.
 * @param thread.hasHistory whether the thread starts with the states of the file; otherwise it is empty
 * @throws RequestError; RunFileError when a file without a thread should provide the history
 */
export async function makeThread(
  client: Client,
  open: OpenLines,
  thread: { readonly threadId: string; readonly graphId: string; readonly hasHistory: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { threadId, graphId, hasHistory } = thread;
  if (!hasHistory) {
    await client.threads.create(
      { body: { thread_id: threadId, metadata: { graph_id: graphId } } },
      { signal },
    );
    return;
  }
  await importRunFile(client, open, threadId, signal);
}

/**
 * Imports the thread of a run file into a server, where it can be continued or forked.
 * @throws RunFileError when the file has no thread; RequestError
 */
export async function importRunFile(
  client: Client,
  open: OpenLines,
  threadId: string,
  signal: AbortSignal,
): Promise<void> {
  const newId = () => threadId;
  for await (const { status, error } of importThreads(client, archiveOf(threadLines(open(THREAD_KINDS))), {
    signal,
    newId,
  })) {
    if (status === 'failed') throw error;
    return;
  }
  throw new RunFileError('it has no thread.');
}

async function* threadLines(lines: AsyncIterable<RunFileLine>): AsyncGenerator<ThreadLine, void, undefined> {
  for await (const line of lines) {
    if (
      line.kind === 'thread' ||
      line.kind === 'checkpoint' ||
      line.kind === 'value' ||
      line.kind === 'write'
    ) {
      yield line;
    }
  }
}

/**
 * Stores a run file's recorded exchanges on a thread, to answer the requests of the runs on that thread.
 * @throws RequestError
 */
export function addRecordings(
  client: Pick<Client, 'recordings'>,
  open: OpenLines,
  threadId: string,
  signal: AbortSignal,
): Promise<void> {
  return addRecordingLines(client, recordingLines(open(RECORDING_KINDS)), threadId, signal);
}

async function* recordingLines(
  lines: AsyncIterable<RunFileLine>,
): AsyncGenerator<RecordingLine, void, undefined> {
  for await (const line of lines) {
    if (line.kind === 'exchange' || line.kind === 'exchange_part') yield line;
  }
}

/** Stores recorded exchanges on a thread, in batches. @throws RequestError */
export async function addRecordingLines(
  client: Pick<Client, 'recordings'>,
  lines: AsyncIterable<RecordingLine> | Iterable<RecordingLine>,
  thread_id: string,
  signal: AbortSignal,
): Promise<void> {
  let batch: RecordingLine[] = [];
  let characters = 0;
  const send = async () => {
    const [first] = batch;
    if (first === undefined) return;
    const params = { thread_id, run_id: first.run_id };
    await client.recordings.addRecording({ params, body: { exchanges: batch } }, { signal });
    batch = [];
    characters = 0;
  };
  for await (const line of lines) {
    if (batch[0] !== undefined && batch[0].run_id !== line.run_id) await send();
    batch.push(line);
    characters += sizeOf(line);
    if (characters >= BATCH_CHARACTERS) await send();
  }
  await send();
}

/** The length of the bodies in a line, in characters. */
function sizeOf(line: RecordingLine): number {
  const { chunks = [] } = line.kind === 'exchange' ? (line.response ?? {}) : line;
  const requestSize = line.kind === 'exchange' ? (line.request.body?.data.length ?? 0) : 0;
  return chunks.reduce((total, chunk) => total + chunk.length, requestSize);
}
