import { Socket } from 'node:net';
import type { Client, Pool } from 'pg';

/** The timeout once the server is stopping, because its supervisor kills it after some time. */
const STOPPING_MS = 3_000;

/** Thrown when a connection has been silent for too long: its last request may or may not have been executed. */
export class ResponseTimeoutError extends Error {
  override readonly name = 'ResponseTimeoutError';

  constructor() {
    super('PostgreSQL does not answer.');
  }
}

/**
 * Ends connections that have a pending request and transfer nothing: the operating system would keep trying to reach a
 * dead machine for a quarter of an hour.
 */
export class ResponseTimeouts {
  readonly #all = new Set<Socket>();
  /** Connections with a pending request. */
  readonly #pending = new Set<Socket>();
  #isStopping = false;

  /** Watches a connection. It has no timeout until a request is sent. */
  watch(client: Client): void {
    const socket = socketOf(client);
    this.#all.add(socket);
    socket.on('timeout', () => socket.destroy(new ResponseTimeoutError()));
    socket.once('close', () => {
      this.#all.delete(socket);
      this.#pending.delete(socket);
    });
  }

  /** Watches a pool's connections while they are in use. */
  watchPool(pool: Pool, limitMs: number): void {
    pool.on('connect', (client) => this.watch(client));
    pool.on('acquire', (client) => this.onRequest(client, limitMs));
    pool.on('release', (_error, client) => this.onResponse(client));
  }

  /** Called when a request is sent: from now on, the connection may be silent for this long. */
  onRequest(client: Client, limitMs: number): void {
    const socket = socketOf(client);
    this.#pending.add(socket);
    socket.setTimeout(this.#isStopping ? Math.min(limitMs, STOPPING_MS) : limitMs);
  }

  /** Called when the response has arrived: the connection may be silent until the next request. */
  onResponse(client: Client): void {
    const socket = socketOf(client);
    this.#pending.delete(socket);
    socket.setTimeout(0);
  }

  /** Called when the server is stopping: unanswered queries get only a little more time. */
  stop(): void {
    this.#isStopping = true;
    for (const socket of this.#pending) socket.setTimeout(STOPPING_MS);
  }

  /** Called when all connections are being closed; a connection that is cut off never reports its end. */
  close(): void {
    for (const socket of this.#all) socket.setTimeout(STOPPING_MS);
  }
}

function socketOf({ connection }: Client): Socket {
  if (connection.stream instanceof Socket) return connection.stream;
  throw new TypeError('The connection is not one of a socket.');
}
