import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long the server waits for a client that stops sending, in ms. */
export interface Patience {
  /** For the headers of a request, from when the connection is made or the last answer left. */
  readonly headersMs: number;
  /** For a body that makes no progress. */
  readonly bodyMs: number;
  /** How often this is checked. */
  readonly everyMs: number;
}

export const DEFAULT_PATIENCE: Patience = { headersMs: 60_000, bodyMs: 60_000, everyMs: 10_000 };

/** A slower body makes no progress. Slow connections are still a hundred times as fast. */
const MIN_BYTES_PER_SECOND = 100;

interface Watched {
  readonly socket: Socket;
  /** Bytes received on its connection when it last made progress. */
  bytes: number;
  since: number;
}

/**
 * Closes connections whose request bodies stall, which would otherwise stay open forever. Uploads that make progress
 * and answers are not limited.
 */
export class SlowClients {
  readonly #patience: Patience;
  readonly #watched = new Map<IncomingMessage, Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(patience: Patience) {
    this.#patience = patience;
    this.#timer = setInterval(() => this.#look(), patience.everyMs).unref();
  }

  /** Watches a request until its body is complete. */
  watch(request: IncomingMessage): void {
    const { headers, socket } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody) this.#watched.set(request, { socket, bytes: socket.bytesRead, since: performance.now() });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watched.clear();
  }

  #look(): void {
    const now = performance.now();
    for (const [request, watched] of this.#watched) {
      // Node takes the socket from a request that was destroyed.
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
      } else if (now - watched.since >= this.#patience.bodyMs) {
        socket.destroy();
      }
    }
  }
}
