import type { MessagePort } from 'node:worker_threads';
import type { ObjectSupply } from '../storage/object-supply.ts';
import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import type { Operations } from './bind-operations.ts';
import { perform, type RunQuery } from './perform.ts';
import type { ThreadMessage } from './worker-protocol.ts';

/** Answers queries in order. */
export class ReaderLoop {
  readonly #port: MessagePort;
  readonly #operations: Operations;
  readonly #db: TracesDatabase;
  readonly #objects: ObjectSupply | undefined;
  readonly #ask: RunQuery | undefined;

  /**
   * @param options.objects given if payloads may be in an object store.
   * @param options.ask executes queries on the replica first; given if there is one.
   */
  constructor(
    port: MessagePort,
    operations: Operations,
    db: TracesDatabase,
    { objects, ask }: { objects?: ObjectSupply | undefined; ask?: RunQuery | undefined } = {},
  ) {
    this.#port = port;
    this.#operations = operations;
    this.#db = db;
    this.#objects = objects;
    this.#ask = ask;
  }

  start(): void {
    this.#port.on('message', (message: ThreadMessage) => {
      if (message === 'close') {
        this.#db.close();
        this.#port.close();
        return;
      }
      this.#port.postMessage(perform(this.#operations, message, this.#objects, this.#ask));
    });
  }
}
