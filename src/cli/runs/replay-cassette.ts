import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { CassetteError, readCassette } from '../../run-files/cassette.ts';
import { describeProject } from '../../run-files/describe-project.ts';
import { addRecordingLines } from '../../run-files/upload-run-file.ts';
import { whyUnreadable } from '../../run-files/why-unreadable.ts';
import type { RunRequest } from './run-request.ts';

interface CassettePlace {
  /** The thread of the run; if undefined, a new one is created. */
  readonly threadId: string | undefined;
  /** The project's langgraph.json; undefined when it is not on this machine. */
  readonly configPath: string | undefined;
  /** The environment variables that the graphs inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Stores the answers in a vcrpy cassette on a thread, so that a run on the thread gets them instead of new ones.
 * @returns the options to start that run with
 * @throws CassetteError, EnvFileError, RequestError
 */
export async function addCassette(
  client: Client,
  file: string,
  { threadId, configPath, environment }: CassettePlace,
  signal: AbortSignal,
): Promise<Pick<RunRequest, 'threadId' | 'replay'>> {
  const run_id = randomUUID();
  const secrets = configPath === undefined ? [] : (await describeProject(configPath, environment)).secrets;
  const text = await readFile(resolve(file), 'utf8').catch((error: unknown) => {
    throw new CassetteError(`The cassette could not be read: ${whyUnreadable(file, error)}`);
  });
  const exchanges = readCassette(text, run_id, secrets);
  const thread = threadId ?? (await client.threads.create({ body: {} }, { signal })).thread_id;
  await addRecordingLines(client, exchanges, thread, signal);
  return { threadId: thread, replay: { run_id } };
}
