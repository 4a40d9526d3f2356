import { createParser } from 'eventsource-parser';
import { MAX_ANSWER_BYTES } from './read-body.ts';
import { RequestError } from './request-error.ts';
import { type Answered, networkError, type Outgoing } from './transport.ts';

/** A server-sent event; `data` is parsed when it is JSON, else text. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

/** Once a server has shown that it sends heartbeats, silence means that the connection is dead. */
const HEARTBEATS_MISSED = 3;
const MIN_SILENCE_MS = 6_000;
const MAX_SILENCE_MS = 30_000;

/** The error code of a stream whose server is connected but silent, without even heartbeats. */
export const SILENT = 'SILENT';

const TOO_LARGE = `sent an event of more than ${MAX_ANSWER_BYTES / 1_048_576} MiB`;

/**
 * The events of one answer, as they arrive. Iterate once.
 * Iterating throws a `RequestError` when the connection breaks, and the signal's reason when aborted. Leaving the loop
 * closes the connection.
 */
export class EventStream implements AsyncIterable<ServerEvent> {
  readonly #answer: Answered;
  readonly #request: Pick<Outgoing, 'method' | 'path' | 'url' | 'options'>;

  constructor(answer: Answered, request: Pick<Outgoing, 'method' | 'path' | 'url' | 'options'>) {
    this.#answer = answer;
    this.#request = request;
    // Until a caller iterates, a broken connection cannot be reported.
    answer.body.on('error', () => {});
  }

  header(name: string): string | undefined {
    return this.#answer.header(name);
  }

  close(): void {
    this.#answer.body.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ServerEvent, void, undefined> {
    const { body } = this.#answer;
    const { signal, silenceMs } = this.#request.options;
    const type = this.header('content-type') ?? '';
    if (!type.includes('text/event-stream')) {
      throw this.#errorOf('unreadable', `answered with ${type || 'no content type'} instead of events`);
    }
    let ready: ServerEvent[] = [];
    let isTooLarge = false;
    const watchdog = new Watchdog(
      () => body.destroy(this.#errorOf('lost', 'stopped responding', SILENT)),
      silenceMs,
    );
    const parser = createParser({
      onEvent: ({ id, event, data }) => ready.push({ id, event: event ?? 'message', data: parse(data) }),
      onComment: () => watchdog.heartbeat(),
      onError: ({ type }) => {
        isTooLarge ||= type === 'max-buffer-size-exceeded';
      },
      maxBufferSize: MAX_ANSWER_BYTES,
    });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        watchdog.alive();
        parser.feed(decoder.decode(chunk, { stream: true }));
        if (isTooLarge) throw this.#errorOf('unreadable', TOO_LARGE);
        const events = ready;
        ready = [];
        yield* events;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw networkError(this.#request, error);
    } finally {
      watchdog.stop();
      body.destroy();
    }
  }

  #errorOf(problem: 'lost' | 'unreadable', what: string, code?: string): RequestError {
    const { method, path, url } = this.#request;
    return new RequestError(`${url.origin} ${what} (${method} ${path}).`, { problem, method, path, code });
  }
}

/**
 * Calls back when nothing has arrived for a given time. Without a given time, the limit is three times the
 * interval between heartbeats, once two heartbeats have shown it.
 */
class Watchdog {
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastHeartbeat: number | undefined;

  constructor(onSilence: () => void, silenceMs: number | undefined) {
    this.#onSilence = onSilence;
    if (silenceMs !== undefined) this.#wait(silenceMs);
  }

  heartbeat(): void {
    const now = performance.now();
    if (this.#lastHeartbeat !== undefined && this.#timer === undefined) {
      const silence = HEARTBEATS_MISSED * (now - this.#lastHeartbeat);
      this.#wait(Math.min(MAX_SILENCE_MS, Math.max(MIN_SILENCE_MS, silence)));
    }
    this.#lastHeartbeat = now;
  }

  alive(): void {
    this.#timer?.refresh();
  }

  #wait(silenceMs: number): void {
    this.#timer = setTimeout(this.#onSilence, silenceMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
