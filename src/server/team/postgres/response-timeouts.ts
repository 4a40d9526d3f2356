import { Socket } from 'node:net';
import type { Client, Pool } from 'pg';

/** Once the server stops, because its supervisor kills it after some time. */
const STOPPING_MS = 3_000;

/** A connection has been silent for too long: its last request may or may not have been carried out. */
export class ResponseTimeoutError extends Error {
  override readonly name = 'ResponseTimeoutError';

  constructor() {
    super('PostgreSQL does not answer.');
  }
}

/**
 * Ends connections with a pending request over which nothing is transferred: the system would retry sending to a
 * dead machine for a quarter of an hour.
 */
export class ResponseTimeouts {
  readonly #all = new Set<Socket>();
  readonly #asked = new Set<Socket>();
  #isStopping = false;

  watch(client: Client): void {
    const socket = socketOf(client);
    this.#all.add(socket);
    socket.on('timeout', () => socket.destroy(new ResponseTimeoutError()));
    socket.once('close', () => {
      this.#all.delete(socket);
      this.#asked.delete(socket);
    });
  }

  /** Watches connections while they are taken from a pool. */
  watchPool(pool: Pool, limitMs: number): void {
    pool.on('connect', (client) => this.watch(client));
    pool.on('acquire', (client) => this.onRequest(client, limitMs));
    pool.on('release', (_error, client) => this.onResponse(client));
  }

  /** From now on, the connection may be silent for this long. */
  onRequest(client: Client, limitMs: number): void {
    const socket = socketOf(client);
    this.#asked.add(socket);
    socket.setTimeout(this.#isStopping ? Math.min(limitMs, STOPPING_MS) : limitMs);
  }

  onResponse(client: Client): void {
    const socket = socketOf(client);
    this.#asked.delete(socket);
    socket.setTimeout(0);
  }

  /** The server stops: unanswered queries get only another moment. */
  stop(): void {
    this.#isStopping = true;
    for (const socket of this.#asked) socket.setTimeout(STOPPING_MS);
  }

  /** All connections are being closed; a connection that is cut off never reports its end. */
  close(): void {
    for (const socket of this.#all) socket.setTimeout(STOPPING_MS);
  }
}

function socketOf({ connection }: Client): Socket {
  if (connection.stream instanceof Socket) return connection.stream;
  throw new TypeError('The connection is not one of a socket.');
}
