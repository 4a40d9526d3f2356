import type { Duplex } from 'node:stream';
import { messageOf } from '../../process/message-of.ts';
import { isObject } from '../../process/objects.ts';

/** The methods that one side answers, or may call. `Requests` maps a method to its params and result. */
type RequestMap = { [method: string]: { params: unknown; result: unknown } };

export type RequestHandlers<Requests> = {
  [Method in keyof Requests]: Requests[Method] extends { params: infer Params; result: infer Result }
    ? (params: Params) => Result | Promise<Result>
    : never;
};
export type NotificationHandlers<Notifications> = {
  [Method in keyof Notifications]: (params: Notifications[Method]) => void;
};

/** The other side answered a request with an error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The connection closed before the answer arrived. */
export class ConnectionClosedError extends Error {
  override readonly name = 'ConnectionClosedError';
}

/** A message is too large to be sent; no part of it was. */
export class MessageTooLargeError extends Error {
  override readonly name = 'MessageTooLargeError';
}

/** The maximum number of characters in a message, well below the maximum length of a string. */
const MAX_MESSAGE_CHARS = 450_000_000;
/** The maximum number of characters of several messages in one line. */
const MAX_BATCH_CHARS = 16 * 1_048_576;
/** The maximum number of bytes of a line; a character takes up to three. */
const MAX_LINE_BYTES = 3 * MAX_MESSAGE_CHARS;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface ConnectionOptions<Incoming extends object, IncomingNotifications extends object> {
  stream: Duplex;
  requests: RequestHandlers<Incoming>;
  notifications: NotificationHandlers<IncomingNotifications>;
  /**
   * Schedules the writing of everything that was sent; by default with `setImmediate`, at the end of the
   * turn.
   */
  defer?: (flush: () => void) => void;
  /**
   * Called for a line that is not a JSON-RPC message, which is not answered.
   */
  onProtocolError(error: Error): void;
}

/**
 * JSON-RPC 2.0 over a byte stream, one JSON document per line; a document is a message or an array of them.
 * Everything that is sent during one turn of the event loop is written as one array. A run that emits a
 * thousand events then needs only a few writes, and the other side can store a whole turn in one transaction.
 * (`vscode-jsonrpc` handles one message per turn, which is too slow here.) Params have the types of the
 * protocol's schema. They are not validated, because both ends belong to Agent Harbor.
 */
export class Connection<
  Outgoing extends object,
  OutgoingNotifications extends object,
  Incoming extends object,
  IncomingNotifications extends object,
> {
  readonly #stream: Duplex;
  readonly #requests: Map<string, (params: never) => unknown>;
  readonly #notifications: Map<string, (params: never) => void>;
  readonly #onProtocolError: (error: Error) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #beforeFlush: (() => void)[] = [];
  readonly #defer: (flush: () => void) => void;
  #outbox: string[] = [];
  #flushScheduled = false;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #nextId = 1;
  #closed: Error | undefined;
  /** Resolves when the stream has ended, however it ended. */
  readonly closed: Promise<void>;

  constructor(options: ConnectionOptions<Incoming, IncomingNotifications>) {
    this.#stream = options.stream;
    this.#requests = new Map(Object.entries<(params: never) => unknown>(options.requests));
    this.#notifications = new Map(Object.entries<(params: never) => void>(options.notifications));
    this.#onProtocolError = options.onProtocolError;
    this.#defer = options.defer ?? setImmediate;
    this.#stream.on('data', (chunk: Buffer) => this.#read(chunk));
    this.closed = new Promise((resolve) => {
      this.#stream.on('error', () => this.#close());
      this.#stream.on('close', () => {
        this.#close();
        resolve();
      });
      this.#stream.on('end', () => this.#stream.destroy());
    });
  }

  /**
   * Sends a request and waits for its answer.
   * @throws RpcError when the other side answers with an error; ConnectionClosedError when it has closed;
   * MessageTooLargeError.
   */
  request<Method extends keyof Outgoing & string>(
    method: Method,
    params: Outgoing[Method] extends RequestMap[string] ? Outgoing[Method]['params'] : never,
  ): Promise<Outgoing[Method] extends RequestMap[string] ? Outgoing[Method]['result'] : never> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) {
        reject(this.#closed);
        return;
      }
      const id = this.#nextId++;
      this.#send({ jsonrpc: '2.0', id, method, params });
      this.#pending.set(id, { resolve: (result) => resolve(result as never), reject });
    });
  }

  /**
   * Sends a request and ignores its outcome: if it fails, the other process usually has ended and no longer
   * needs it.
   */
  tell<Method extends keyof Outgoing & string>(
    method: Method,
    params: Outgoing[Method] extends RequestMap[string] ? Outgoing[Method]['params'] : never,
  ): void {
    this.request(method, params).catch(() => {});
  }

  /**
   * Sends a notification; does nothing when the connection is closed.
   * @throws MessageTooLargeError
   */
  notify<Method extends keyof OutgoingNotifications & string>(
    method: Method,
    params: OutgoingNotifications[Method],
  ): void {
    this.#send({ jsonrpc: '2.0', method, params });
  }

  /**
   * Sends a notification before messages that wait for the end of the turn; does nothing when the connection
   * is closed.
   * @throws MessageTooLargeError
   */
  notifyFirst<Method extends keyof OutgoingNotifications & string>(
    method: Method,
    params: OutgoingNotifications[Method],
  ): void {
    if (this.#closed === undefined) this.#stream.write(`${textOf({ jsonrpc: '2.0', method, params })}\n`);
  }

  /** Adds a callback before each flush, for senders that collect their own messages until then. */
  onBeforeFlush(callback: () => void): void {
    this.#beforeFlush.push(callback);
  }

  /** Schedules a flush for the end of this turn, even if nothing was sent yet. */
  scheduleFlush(): void {
    if (this.#flushScheduled || this.#closed !== undefined) return;
    this.#flushScheduled = true;
    this.#defer(() => this.flush());
  }

  /** Sends pending messages without waiting for the end of the turn. */
  flush(): void {
    this.#flushScheduled = false;
    if (this.#closed !== undefined) return;
    for (const callback of this.#beforeFlush) callback();
    const messages = this.#outbox;
    if (messages.length === 0) return;
    this.#outbox = [];
    for (const batch of batches(messages)) {
      this.#stream.write(batch.length === 1 ? `${batch[0]}\n` : `[${batch.join(',')}]\n`);
    }
  }

  /** Whether the other side reads more slowly than this side writes. */
  get congested(): boolean {
    return this.#stream.writableNeedDrain;
  }

  /** The characters that were sent but not yet accepted by the other side. */
  get unreadChars(): number {
    return this.#stream.writableLength;
  }

  /** Ends the connection; pending requests fail. */
  close(): void {
    this.flush();
    this.#stream.end();
  }

  #send(message: object): void {
    if (this.#closed !== undefined) return;
    this.#outbox.push(textOf(message));
    this.scheduleFlush();
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const tail = chunk.subarray(start, end);
      const line = this.#unread.length === 0 ? tail : Buffer.concat([...this.#unread, tail]);
      this.#unread = [];
      this.#unreadBytes = 0;
      start = end + 1;
      if (line.length > 0) this.#receive(line);
      if (this.#closed !== undefined) return;
    }
    if (start === chunk.length) return;
    this.#unread.push(chunk.subarray(start));
    this.#unreadBytes += chunk.length - start;
    if (this.#unreadBytes > MAX_LINE_BYTES) this.#giveUp();
  }

  #receive(line: Buffer): void {
    let text: string;
    try {
      text = line.toString('utf8');
    } catch {
      // The line is longer than a JavaScript string can be.
      this.#giveUp();
      return;
    }
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      this.#onProtocolError(new RpcError(PARSE_ERROR, `Not valid JSON: ${text.slice(0, 200)}`));
      return;
    }
    for (const message of Array.isArray(document) ? document : [document]) this.#dispatch(message);
  }

  /**
   * Closes the connection, because a message that cannot be read may be an answer that a request waits for.
   */
  #giveUp(): void {
    this.#unread = [];
    this.#onProtocolError(new RpcError(INVALID_REQUEST, 'A message is too large to read.'));
    this.#close();
    this.#stream.destroy();
  }

  #dispatch(message: unknown): void {
    if (!isObject(message)) {
      this.#onProtocolError(new RpcError(INVALID_REQUEST, 'A message must be an object.'));
      return;
    }
    const { id, method, params, result, error } = message;
    if (typeof method === 'string') {
      if (typeof id === 'number') void this.#answer(id, method, params);
      else this.#handleNotification(method, params);
      return;
    }
    // Answers that no request waits for are ignored, as are notifications without a handler.
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (pending === undefined || typeof id !== 'number') return;
    this.#pending.delete(id);
    if (error === undefined) pending.resolve(result);
    else pending.reject(toRpcError(error));
  }

  /** A malformed message must not crash this process. */
  #handleNotification(method: string, params: unknown): void {
    try {
      this.#notifications.get(method)?.(params as never);
    } catch (error) {
      const reason = messageOf(error);
      this.#onProtocolError(new RpcError(INVALID_REQUEST, `'${method}' could not be read: ${reason}`));
    }
  }

  async #answer(id: number, method: string, params: unknown): Promise<void> {
    const handler = this.#requests.get(method);
    if (handler === undefined) {
      this.#send({
        jsonrpc: '2.0',
        id,
        error: { code: METHOD_NOT_FOUND, message: `Unknown method '${method}'.` },
      });
      return;
    }
    try {
      this.#send({ jsonrpc: '2.0', id, result: (await handler(params as never)) ?? {} });
    } catch (error) {
      const code = error instanceof RpcError ? error.code : INTERNAL_ERROR;
      const data = error instanceof RpcError ? error.data : describe(error);
      const text = messageOf(error);
      this.#send({ jsonrpc: '2.0', id, error: { code, message: text, data } });
    }
  }

  #close(): void {
    if (this.#closed !== undefined) return;
    this.#closed = new ConnectionClosedError('The connection is closed.');
    for (const pending of this.#pending.values()) pending.reject(this.#closed);
    this.#pending.clear();
    this.#outbox = [];
  }
}

/** @throws MessageTooLargeError */
function textOf(message: object): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(message);
  } catch (error) {
    if (!isTooLong(error)) throw error;
  }
  if (text !== undefined && text.length <= MAX_MESSAGE_CHARS) return text;
  throw new MessageTooLargeError(
    `A value is too large to send to the server (limit: ${MAX_MESSAGE_CHARS / 1e6} MB as JSON). Keep large data in files or in the store, and only a reference in the state.`,
  );
}

/** Whether an error means that a text exceeds the maximum length of a JavaScript string. */
export function isTooLong(error: unknown): boolean {
  return error instanceof RangeError && error.message === 'Invalid string length';
}

/** Divides messages into batches that fit into a line of `MAX_BATCH_CHARS`, in order. */
function* batches(messages: readonly string[]): Generator<readonly string[]> {
  let first = 0;
  let chars = 0;
  for (const [at, { length }] of messages.entries()) {
    if (at > first && chars + length > MAX_BATCH_CHARS) {
      yield messages.slice(first, at);
      first = at;
      chars = 0;
    }
    chars += length;
  }
  yield messages.slice(first);
}

/** The data of an error answer for a handler that failed. */
function describe(error: unknown): { name: string; message: string; stack?: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  return {
    name: error.name,
    message: error.message,
    ...(error.stack === undefined ? {} : { stack: error.stack }),
  };
}

function toRpcError(error: unknown): RpcError {
  const { code, message, data } = isObject(error) ? error : {};
  return new RpcError(typeof code === 'number' ? code : INTERNAL_ERROR, String(message), data);
}
