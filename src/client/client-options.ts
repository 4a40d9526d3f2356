import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import type { RequestError } from './request-error.ts';
import { TRANSPORT_DEFAULTS, Transport } from './transport.ts';

export interface ClientOptions {
  readonly connection: Connection;
  /** Sends the requests, such as `createDispatcher()`; clients may share it, and its creator closes it. */
  readonly dispatcher: Dispatcher;
  /**
   * The default time limit of calls, in milliseconds. Calls that wait for runs have none, nor do streams once
   * they are open.
   */
  readonly timeoutMs?: number;
  /** How often a failed request is sent again, if that is safe. */
  readonly retries?: number;
  /** Called with every failure that a caller gets, to monitor the connection. */
  readonly onFailure?: (error: RequestError) => void;
}

export function transportOf(options: ClientOptions): Transport {
  return new Transport({
    dispatcher: options.dispatcher,
    credentials: options.connection.credentials,
    timeoutMs: options.timeoutMs ?? TRANSPORT_DEFAULTS.timeoutMs,
    retries: options.retries ?? TRANSPORT_DEFAULTS.retries,
    onFailure: options.onFailure,
  });
}
