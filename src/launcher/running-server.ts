import { connect } from 'node:net';
import type { Dispatcher } from 'undici';
import { localConnection } from '../client/connection.ts';
import { type HarborClient, harborClient } from '../client/harbor-client.ts';
import type { Handshake } from '../contract/harbor.ts';
import { isAlive, waitForEnd } from './process-life.ts';
import { readServerFile } from './server-file.ts';

/** A server that answered. */
export interface RunningServer {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly pid: number;
  readonly version: string;
  readonly handshake: Handshake;
}

const HANDSHAKE_TIMEOUT_MS = 5_000;
const END_TIMEOUT_MS = 15_000;
/** How long a connection may take; a program that does not accept it in this time counts as listening. */
const CONNECT_TIMEOUT_MS = 1_000;

export interface FindOptions {
  readonly dataDir: string;
  readonly dispatcher: Dispatcher;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether to ask the server even if its process is not seen, because it may be in another container that
   * shares the folder.
   */
  readonly evenUnseen?: boolean;
}

/**
 * Finds the server of a data folder.
 * @returns undefined when none answers.
 * @throws the signal's reason when aborted.
 */
export async function findServer(options: FindOptions): Promise<RunningServer | undefined> {
  const file = await readServerFile(options.dataDir);
  if (file === undefined) return undefined;
  // Another program may use the port of a dead server, and must not get the key.
  if (options.evenUnseen !== true && !isAlive(file.pid)) return undefined;
  const address = { baseUrl: file.base_url, apiKey: file.api_key };
  try {
    const handshake = await harborOf(address, options.dispatcher).harbor.handshake(undefined, {
      timeoutMs: HANDSHAKE_TIMEOUT_MS,
      retries: 0,
      signal: options.signal,
    });
    // The handshake has the current process ID: a successor listens at the same address before it writes the file.
    return { ...address, pid: handshake.pid, version: handshake.version, handshake };
  } catch {
    options.signal?.throwIfAborted();
    return undefined;
  }
}

/** A client for Agent Harbor's own endpoints; the client of `clientOf` also has all others. */
export function harborOf(
  server: Pick<RunningServer, 'baseUrl' | 'apiKey'>,
  dispatcher: Dispatcher,
): HarborClient {
  return harborClient({ connection: localConnection(server), dispatcher });
}

/**
 * Asks a server to stop, immediately or only if it is unused, and waits for its end if it does.
 * @returns whether the server has ended.
 * @throws RequestError when the request fails.
 */
export async function endServer(
  server: RunningServer,
  when: 'now' | 'unused',
  { dispatcher, timeoutMs = END_TIMEOUT_MS }: { dispatcher: Dispatcher; timeoutMs?: number },
): Promise<boolean> {
  try {
    const { ending } = await harborOf(server, dispatcher).harbor.shutdown({ body: { when } }, { retries: 0 });
    if (!ending) return false;
  } catch (error) {
    // A server that has ended may not have answered first.
    if (isAlive(server.pid)) throw error;
  }
  return waitForEnd(server.pid, timeoutMs);
}

/**
 * Kills the server of a data folder, for when it does not answer. Everything that it has acknowledged is
 * stored. If nothing listens at the server's address, it has ended, and its process ID may now belong to
 * another process, which is not killed.
 * @returns whether the server has ended.
 * @throws NodeJS.ErrnoException when the process may not be killed.
 */
export async function killServer(dataDir: string): Promise<boolean> {
  const file = await readServerFile(dataDir);
  if (file === undefined || !isAlive(file.pid) || !(await isListening(file.base_url))) return true;
  process.kill(file.pid, 'SIGKILL');
  return waitForEnd(file.pid, END_TIMEOUT_MS);
}

/** Whether a program listens at an address of this machine, even one that hangs: the system accepts its connections. */
function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => resolve(true));
  }).finally(() => socket.destroy());
}
