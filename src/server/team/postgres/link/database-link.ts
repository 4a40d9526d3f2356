import { once } from 'node:events';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { DatabaseUnreachable } from '../../../../process/database-unreachable.ts';
import { DataFolderError } from '../../../storage/data-folder-error.ts';
import {
  ANSWERS,
  CONNECTED,
  ENDED,
  type LinkAnswer,
  type LinkBatch,
  type LinkData,
  type LinkGreeting,
  type LinkResult,
} from './link-protocol.ts';

/** How a connection is opened. */
export interface LinkOptions extends Pick<LinkData, 'url' | 'application' | 'migrates' | 'settings'> {
  /** The entry point of the connection's thread. */
  readonly thread: URL;
  /** Whether the database is a replica, and therefore optional (see `LinkData.isReplica`). */
  readonly isReplica?: boolean;
}

/** Executes batches of statements for a thread that waits for each result. */
export interface Link {
  /**
   * @throws StatementError for the first statement that failed, DatabaseUnreachable when the connection
   * fails, and the statements may or may not have been executed.
   */
  ask(batch: LinkBatch): readonly LinkResult[];
  close(): Promise<void>;
}

/** An error of the database, with its code (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly sqlState: string | undefined;

  constructor(message: string, sqlState: string | undefined) {
    super(message);
    this.sqlState = sqlState;
  }
}

/**
 * A connection to PostgreSQL in a separate thread. The calling thread waits for each result: as with SQLite,
 * nothing else runs in it in the meantime.
 */
export class DatabaseLink implements Link {
  readonly #port: MessagePort;
  readonly #signal: Int32Array;
  readonly #exit: Promise<unknown>;

  private constructor(worker: Worker, port: MessagePort, signal: Int32Array) {
    this.#port = port;
    this.#signal = signal;
    // The thread may have ended long before the connection is closed.
    this.#exit = new Promise((resolve) => worker.once('exit', resolve));
  }

  /** @throws DataFolderError when the database cannot be used. */
  static async open({ thread, isReplica = false, ...options }: LinkOptions): Promise<DatabaseLink> {
    const { port1, port2 } = new MessageChannel();
    const signal = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
    const data: LinkData = { ...options, isReplica, port: port2, signal };
    const worker = new Worker(thread, { workerData: data, transferList: [port2] });
    const [greeting] = (await once(worker, 'message')) as [LinkGreeting];
    if ('failed' in greeting) throw new DataFolderError(greeting.failed, { mayPass: greeting.mayPass });
    // Waiting code learns from the signal that the thread has ended.
    worker.on('error', () => {});
    return new DatabaseLink(worker, port1, new Int32Array(signal));
  }

  /** Whether a replica can be queried. */
  get isConnected(): boolean {
    return Atomics.load(this.#signal, CONNECTED) === 1;
  }

  ask(batch: LinkBatch): readonly LinkResult[] {
    const answer = this.#wait(batch);
    if ('results' in answer) return answer.results;
    const { message, code, isUnreachable } = answer.error;
    throw isUnreachable ? new DatabaseUnreachable(message) : new StatementError(message, code);
  }

  async close(): Promise<void> {
    this.#port.postMessage('close');
    await this.#exit;
  }

  #wait(batch: LinkBatch): LinkAnswer {
    this.#port.postMessage(batch);
    for (;;) {
      const seen = Atomics.load(this.#signal, ANSWERS);
      const received = receiveMessageOnPort(this.#port) as { message: LinkAnswer } | undefined;
      if (received !== undefined) return received.message;
      if (Atomics.load(this.#signal, ENDED) === 1) throw new DatabaseUnreachable('The thread has ended.');
      Atomics.wait(this.#signal, ANSWERS, seen);
    }
  }
}
