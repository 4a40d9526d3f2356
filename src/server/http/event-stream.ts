import type { ServerResponse } from 'node:http';

const HEARTBEAT_MS = 5_000;

/** One event as it goes over the wire; `data` is JSON text. */
export function frame(event: string, data: string, id?: string): string {
  return id === undefined
    ? `event: ${event}\ndata: ${data}\n\n`
    : `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}

/**
 * The writing end of a server-sent event stream. After a silence, of five seconds by default, it sends a
 * comment as a heartbeat: one line without a blank line after it, because some clients take a blank line
 * after an `id:` for an event (docs/interface/agent-server.md#streams).
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #heartbeat: NodeJS.Timeout;
  /** Resolves when the client has disconnected or the stream was ended. */
  readonly closed: Promise<void>;
  #wrote = false;

  /** @param heartbeatMs the stream is never silent for longer than twice this time. */
  constructor(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    heartbeatMs = HEARTBEAT_MS,
  ) {
    this.#response = response;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...headers,
    });
    // The head is sent with the first events, if any, otherwise at the end of this turn.
    setImmediate(() => {
      if (!this.#wrote && !this.isClosed) response.flushHeaders();
    });
    this.#heartbeat = setInterval(() => {
      if (!this.#wrote) response.write(': heartbeat\n');
      this.#wrote = false;
    }, heartbeatMs);
    this.#heartbeat.unref();
    this.closed = new Promise((resolve) => {
      const close = () => {
        clearInterval(this.#heartbeat);
        resolve();
      };
      // The client may have disconnected before the stream was opened.
      if (response.destroyed) close();
      else response.once('close', close);
    });
  }

  /** Sends frames. @returns false when the client reads too slowly (see `waitForDrain`). */
  write(frames: string): boolean {
    if (this.isClosed) return true;
    this.#wrote = true;
    return this.#response.write(frames);
  }

  /** Sends one event. @returns the same as `write`. */
  send(event: string, data: unknown, id?: string): boolean {
    return this.write(frame(event, JSON.stringify(data), id));
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** Resolves when written data has been sent, or the client has disconnected. */
  waitForDrain(): Promise<void> {
    if (!this.#response.writableNeedDrain || this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#response.off('drain', done);
        this.#response.off('close', done);
        resolve();
      };
      this.#response.on('drain', done);
      this.#response.on('close', done);
    });
  }

  end(): void {
    clearInterval(this.#heartbeat);
    if (!this.#response.writableEnded) this.#response.end();
  }
}
