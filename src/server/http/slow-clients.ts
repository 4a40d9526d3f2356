import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long the server waits for a client that stops sending. */
export interface StallTimeouts {
  /** The time limit for the headers of a request, counted from the connection or the last response. */
  readonly headersMs: number;
  /** The time limit for a body that makes no progress. */
  readonly bodyMs: number;
  /** How often requests are checked. */
  readonly checkEveryMs: number;
}

export const DEFAULT_STALL_TIMEOUTS: StallTimeouts = {
  headersMs: 60_000,
  bodyMs: 60_000,
  checkEveryMs: 10_000,
};

/**
 * A body that arrives more slowly than this counts as stalled. Even slow connections are a hundred times
 * faster.
 */
const MIN_BYTES_PER_SECOND = 100;

interface Watched {
  readonly socket: Socket;
  /** The bytes that the connection had received when the request last made progress. */
  bytes: number;
  /** The time of that progress, on the clock of `performance.now`. */
  since: number;
}

/**
 * Closes connections whose request bodies stall, which would otherwise stay open forever. Uploads that make
 * progress and responses are not limited.
 */
export class SlowClients {
  readonly #stallTimeouts: StallTimeouts;
  readonly #watched = new Map<IncomingMessage, Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(stallTimeouts: StallTimeouts) {
    this.#stallTimeouts = stallTimeouts;
    this.#timer = setInterval(() => this.#check(), stallTimeouts.checkEveryMs).unref();
  }

  /** Watches a request until its body is complete. */
  watch(request: IncomingMessage): void {
    const { headers, socket } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (!hasBody) return;
    this.#watched.set(request, { socket, bytes: socket.bytesRead, since: performance.now() });
    // The request is forgotten immediately, because many requests arrive between two checks.
    request.once('close', () => this.#watched.delete(request));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watched.clear();
  }

  #check(): void {
    const now = performance.now();
    for (const [request, watched] of this.#watched) {
      // `request.socket` is not used, because it is null once the request is destroyed.
      const { socket } = watched;
      if (request.complete || request.destroyed || socket.destroyed) {
        this.#watched.delete(request);
        continue;
      }
      const seconds = (now - watched.since) / 1_000;
      const isProgress = socket.bytesRead - watched.bytes >= MIN_BYTES_PER_SECOND * seconds;
      // Bytes received but not read yet wait for the server, not for the client.
      if (isProgress || request.readableLength > 0 || socket.readableLength > 0) {
        watched.bytes = socket.bytesRead;
        watched.since = now;
      } else if (now - watched.since >= this.#stallTimeouts.bodyMs) {
        socket.destroy();
      }
    }
  }
}
