import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import type { Method } from '../contract/endpoint.ts';
import type { Credentials } from './connection.ts';
import { MAX_ANSWER_BYTES, readShortText, TooLargeError } from './read-body.ts';
import { refusal } from './refusal.ts';
import { RequestError, type RequestProblem } from './request-error.ts';
import { retryAfterMs, retryDelay } from './retry.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take, until the whole answer or the head of a stream has arrived. 0 means no limit. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed request is sent again, if that is safe. */
  readonly retries?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the status and headers of a successful answer, such as `x-pagination-next`. */
  readonly onAnswer?: ((answer: AnswerHead) => void) | undefined;
  /**
   * Milliseconds without a byte after which a stream is considered dead, for servers that are known to send heartbeats.
   * By default three times the interval of its heartbeats, once it has sent two.
   */
  readonly silenceMs?: number | undefined;
  /** Called before a run's stream is rejoined. */
  readonly onRejoin?: ((broken: RequestError | undefined, attempt: number) => void) | undefined;
}

/** The status and headers of an answer. */
interface AnswerHead {
  readonly status: number;
  header(name: string): string | undefined;
}

/** A request to be sent. */
export interface Outgoing {
  readonly method: Method;
  readonly url: URL;
  /** The path to name in errors, without query and secrets. */
  readonly path: string;
  readonly accept: string;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly options: CallOptions;
}

/** An answer whose body has not been read yet. */
export interface Answered extends AnswerHead {
  readonly body: Dispatcher.ResponseData['body'];
}

/** The options of a transport whose creator does not choose others. */
export const TRANSPORT_DEFAULTS = { timeoutMs: 30_000, retries: 2 } as const;

const USER_AGENT = 'agent-harbor';

interface TransportOptions {
  readonly dispatcher: Dispatcher;
  readonly credentials: Credentials;
  /** The default for calls. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** Called with every failure that a caller gets. */
  readonly onFailure?: ((error: RequestError) => void) | undefined;
}

/** Sends requests with credentials, time-outs and retries, and turns every failure into a `RequestError`. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#headers = { 'user-agent': USER_AGENT, ...credentialHeaders(options.credentials) };
  }

  /**
   * Sends a request and reads its answer. A failed request is sent again if that is safe.
   * @throws RequestError; the signal's reason when aborted.
   */
  async send<T>(outgoing: Outgoing, read: (answer: Answered) => Promise<T>): Promise<T> {
    const { signal, retries = this.#options.retries } = outgoing.options;
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await this.#try(outgoing, read);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const delay = error instanceof RequestError ? retryDelay(error, attempt, retries) : undefined;
        if (delay === undefined) {
          if (error instanceof RequestError) this.#options.onFailure?.(error);
          throw error;
        }
        await sleep(delay, undefined, signal === undefined ? {} : { signal });
      }
    }
  }

  async #try<T>(outgoing: Outgoing, read: (answer: Answered) => Promise<T>): Promise<T> {
    const { method, path, url, options } = outgoing;
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs;
    const timeout = new AbortController();
    const timer = timeoutMs > 0 ? setTimeout(() => timeout.abort(), timeoutMs) : undefined;
    try {
      const response = await request.call(this.#options.dispatcher, {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: {
          ...this.#headers,
          accept: outgoing.accept,
          ...(outgoing.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
        },
        body: outgoing.body ?? null,
        signal:
          options.signal === undefined ? timeout.signal : AbortSignal.any([options.signal, timeout.signal]),
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const head = headOf(response);
      if (head.status < 200 || head.status >= 300) {
        throw refusal({
          method,
          path,
          status: head.status,
          requestId: head.header('x-request-id'),
          retryAfterMs: retryAfterMs(head.header('retry-after')),
          text: await readShortText(response.body),
        });
      }
      options.onAnswer?.(head);
      return await read({ ...head, body: response.body });
    } catch (error) {
      if (error instanceof RequestError) throw error;
      if (error instanceof TooLargeError) throw tooLargeError(outgoing, error);
      if (timeout.signal.aborted) throw timeoutError(outgoing, timeoutMs, error);
      throw networkError(outgoing, error);
    } finally {
      clearTimeout(timer);
    }
  }
}

function credentialHeaders({ apiKey, tenantId, bearerToken, headers }: Credentials): Record<string, string> {
  return {
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    ...(tenantId === undefined ? {} : { 'x-tenant-id': tenantId }),
    ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }),
    ...Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

function headOf({ statusCode, headers }: Dispatcher.ResponseData): AnswerHead {
  return {
    status: statusCode,
    header(name) {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
  };
}

function timeoutError({ method, path, url }: Outgoing, timeoutMs: number, cause: unknown): RequestError {
  return new RequestError(`${url.origin} did not answer ${method} ${path} within ${timeoutMs / 1_000} s.`, {
    problem: 'timeout',
    method,
    path,
    cause,
  });
}

function tooLargeError({ method, path, url }: Outgoing, cause: unknown): RequestError {
  return new RequestError(
    `${url.origin} answered ${method} ${path} with more than ${MAX_ANSWER_BYTES / 1_048_576} MiB. Ask for less at a time.`,
    { problem: 'unreadable', method, path, cause },
  );
}

/** Failures of undici and Node that mean that no connection was made. */
const NEVER_CONNECTED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Describes a failure of the network. Other errors pass through unchanged. */
export function networkError(
  { method, path, url }: Pick<Outgoing, 'method' | 'path' | 'url'>,
  error: unknown,
): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const { code } = error;
  const isUnconnected =
    NEVER_CONNECTED.has(code) ||
    ('syscall' in error && error.syscall === 'connect') ||
    error instanceof AggregateError ||
    /CERT|SSL|TLS/.test(code);
  const problem: RequestProblem = isUnconnected ? 'unreachable' : 'lost';
  const sentence = isUnconnected
    ? `Cannot reach ${url.origin}: ${reason(code, error.message)}`
    : `The connection to ${url.origin} broke during ${method} ${path}: ${error.message || code}`;
  return new RequestError(sentence.replace(/\.?$/, '.'), { problem, method, path, code, cause: error });
}

function reason(code: string, message: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing is listening there';
    case 'ENOTFOUND':
      return 'unknown host';
    case 'EAI_AGAIN':
      return 'the host name could not be resolved; check your connection';
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return 'no answer';
    default:
      return message || code;
  }
}
