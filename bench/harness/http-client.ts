import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import type { BenchGraph } from './graphs.ts';

const threadSchema = z.object({ thread_id: z.string() });
const timeoutMs = 60_000;

/** A run's stream as it arrived; times are milliseconds after the request was sent. */
export interface StreamedRun {
  readonly firstByteMs: number;
  /** When the first event with output of the graph had begun to arrive. */
  readonly firstEventMs: number;
  readonly endMs: number;
  /** The same moment as `firstEventMs`, in nanoseconds of `process.hrtime`, which other processes share. */
  readonly firstEventAt: bigint;
  readonly body: string;
}

/**
 * A client that costs as little as Node allows, so that the server is what is measured: undici's dispatcher
 * on kept-alive connections, without streams in between, and nothing parsed before a run's clock has stopped.
 */
export class HttpClient {
  readonly #pool: Pool;

  constructor(url: string, connections = 16) {
    this.#pool = new Pool(url, {
      connections,
      pipelining: 1,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  async createThread(): Promise<string> {
    const { chunks } = await this.#post('/threads', {});
    return threadSchema.parse(JSON.parse(Buffer.concat(chunks).toString())).thread_id;
  }

  /**
   * Runs a graph on a thread and reads its stream to the end.
   *
   * @throws an Error when the status is not 200 or events are missing
   */
  async streamRun(threadId: string, graph: BenchGraph): Promise<StreamedRun> {
    const { id, input, streamMode, record } = graph;
    // Undefined values are not sent.
    const request = { assistant_id: id, input, stream_mode: streamMode, record };
    const marker = `event: ${graph.event}`;
    let seen = '';
    let firstEventAt: bigint | undefined;
    const answer = await this.#post(`/threads/${threadId}/runs/stream`, request, (chunk, at) => {
      if (firstEventAt !== undefined) return;
      seen += chunk.toString('latin1');
      if (seen.includes(marker)) firstEventAt = at;
    });
    const body = Buffer.concat(answer.chunks).toString();
    const count = body.split(marker).length - 1;
    if (firstEventAt === undefined || answer.firstByteAt === undefined || count < graph.events) {
      const got = `${count} of ${graph.events} ${graph.event} events of ${graph.id}`;
      throw new Error(`The stream ended after ${got}: ${body.slice(-500)}`);
    }
    const since = (at: bigint) => Number(at - answer.sentAt) / 1e6;
    return {
      firstByteMs: since(answer.firstByteAt),
      firstEventMs: since(firstEventAt),
      endMs: since(answer.endedAt),
      firstEventAt,
      body,
    };
  }

  /** Any other request, answered with 200. @returns milliseconds until the whole answer had arrived. */
  async post(path: string, body: object): Promise<{ ms: number }> {
    const { sentAt, endedAt } = await this.#post(path, body);
    return { ms: Number(endedAt - sentAt) / 1e6 };
  }

  async get(path: string): Promise<{ ms: number }> {
    const { sentAt, endedAt } = await this.#dispatch({ method: 'GET', path });
    return { ms: Number(endedAt - sentAt) / 1e6 };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #post(path: string, body: object, onChunk?: (chunk: Buffer, at: bigint) => void): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.#dispatch({ method: 'POST', path, headers, body: JSON.stringify(body) }, onChunk);
  }

  #dispatch(
    options: Dispatcher.DispatchOptions,
    onChunk?: (chunk: Buffer, at: bigint) => void,
  ): Promise<Answer> {
    const sentAt = process.hrtime.bigint();
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let status = 0;
      let firstByteAt: bigint | undefined;
      this.#pool.dispatch(options, {
        // Without this, undici mistakes the handler for one of the older kind.
        onRequestStart: () => {},
        onResponseStart: (_controller, statusCode) => {
          status = statusCode;
        },
        onResponseData: (_controller, chunk) => {
          const at = process.hrtime.bigint();
          firstByteAt ??= at;
          chunks.push(chunk);
          onChunk?.(chunk, at);
        },
        onResponseEnd: () => {
          const endedAt = process.hrtime.bigint();
          if (status === 200) resolve({ sentAt, firstByteAt, endedAt, chunks });
          else
            reject(
              new Error(
                `${options.method} ${options.path} answered ${status}: ${Buffer.concat(chunks).toString().slice(0, 500)}`,
              ),
            );
        },
        onResponseError: (_controller, error) => reject(error),
      });
    });
  }
}

interface Answer {
  readonly sentAt: bigint;
  readonly firstByteAt: bigint | undefined;
  readonly endedAt: bigint;
  readonly chunks: Buffer[];
}
