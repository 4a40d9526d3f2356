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
/** A program that no longer accepts connections still exists. */
const CONNECT_TIMEOUT_MS = 1_000;

export interface FindOptions {
  readonly dataDir: string;
  readonly dispatcher: Dispatcher;
  readonly signal?: AbortSignal | undefined;
  /** Ask even if its process is not visible: it may run in another container that shares the folder. */
  readonly evenUnseen?: boolean;
}

/** Finds the server of a data folder and greets it; `undefined` when none answers. */
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
    // A successor listens at the same port with the same key a moment before it announces itself.
    return { ...address, pid: handshake.pid, version: handshake.version, handshake };
  } catch {
    options.signal?.throwIfAborted();
    return undefined;
  }
}

/** A client for the endpoints that only the embedded server has; `clientOf` has the rest too. */
export function harborOf(
  server: Pick<RunningServer, 'baseUrl' | 'apiKey'>,
  dispatcher: Dispatcher,
): HarborClient {
  return harborClient({ connection: localConnection(server), dispatcher });
}

/**
 * Asks a server to stop: immediately, or when no client is present and nothing is running. Waits for it to
 * exit if it says that it is stopping.
 * @returns whether it has ended.
 * @throws RequestError when it refuses.
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
    if (isAlive(server.pid)) throw error;
  }
  return waitForEnd(server.pid, timeoutMs);
}

/**
 * Kills the server of a data folder when it does not answer; everything it has acknowledged is stored. The file of
 * an ended server may contain the ID of another process, which is left alone, because nothing listens at the
 * address.
 * @returns whether it has ended.
 */
export async function killServer(dataDir: string): Promise<boolean> {
  const file = await readServerFile(dataDir);
  if (file === undefined || !isAlive(file.pid) || !(await isListening(file.base_url))) return true;
  process.kill(file.pid, 'SIGKILL');
  return waitForEnd(file.pid, END_TIMEOUT_MS);
}

/**
 * Whether a program listens at an address on this machine, even if it is stopped, because the system accepts
 * connections for it.
 */
function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => resolve(true));
  }).finally(() => socket.destroy());
}
