import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import { readCassette } from '../run-files/cassette.ts';
import { addRecordings } from '../run-files/replay-run-file.ts';
import type { RunRequest } from './run-in-terminal.ts';

/**
 * Puts what a cassette of vcrpy answers on a thread, so that a run of it is answered from there.
 * @param threadId a new thread is made without it.
 * @returns what the run is asked for with.
 * @throws CassetteError, RequestError, or the error of the file system
 */
export async function addCassette(
  client: Client,
  file: string,
  threadId: string | undefined,
  signal: AbortSignal,
): Promise<Pick<RunRequest, 'threadId' | 'replay'>> {
  const run_id = randomUUID();
  const exchanges = readCassette(await readFile(resolve(file), 'utf8'), run_id);
  const thread = threadId ?? (await client.threads.create({ body: {} }, { signal })).thread_id;
  await addRecordings(client, exchanges, thread, signal);
  return { threadId: thread, replay: { run_id } };
}
