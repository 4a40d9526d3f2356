import type { IncomingMessage } from 'node:http';

/** How long is waited for what a client does not send, in ms. */
export interface Patience {
  /** For the headers of a request, from when the connection is made or the last answer left. */
  readonly headersMs: number;
  /** For a body that comes too slowly. */
  readonly bodyMs: number;
  /** How often it is looked at. */
  readonly everyMs: number;
}

export const DEFAULT_PATIENCE: Patience = { headersMs: 60_000, bodyMs: 60_000, everyMs: 10_000 };

/** A body slower than this makes no progress; a slow line is a hundred times as fast. */
const MIN_BYTES_PER_SECOND = 100;

interface Watched {
  /** Bytes of its connection when it was last seen to make progress. */
  bytes: number;
  since: number;
}

/**
 * Ends connections whose bodies stop coming: they would be held open for ever, a descriptor each. Uploads of any length
 * that make progress go on, and so do answers.
 */
export class SlowClients {
  readonly #patience: Patience;
  readonly #watched = new Map<IncomingMessage, Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(patience: Patience) {
    this.#patience = patience;
    this.#timer = setInterval(() => this.#look(), patience.everyMs).unref();
  }

  /** Watches a request until its body is there. */
  watch(request: IncomingMessage): void {
    const { headers, socket } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody) this.#watched.set(request, { bytes: socket.bytesRead, since: performance.now() });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watched.clear();
  }

  #look(): void {
    const now = performance.now();
    for (const [request, watched] of this.#watched) {
      const { socket } = request;
      if (request.complete || socket.destroyed) {
        this.#watched.delete(request);
        continue;
      }
      const seconds = (now - watched.since) / 1_000;
      const isProgress = socket.bytesRead - watched.bytes >= MIN_BYTES_PER_SECOND * seconds;
      // What has come and is not read yet waits for us, not for the client.
      if (isProgress || request.readableLength > 0 || socket.readableLength > 0) {
        watched.bytes = socket.bytesRead;
        watched.since = now;
      } else if (now - watched.since >= this.#patience.bodyMs) {
        socket.destroy();
      }
    }
  }
}
