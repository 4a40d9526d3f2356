import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { checkpoint } from './idle-checkpoint.ts';

/**
 * Plain JavaScript, because a worker thread shares no code. The second pass merges writes made during the first, which
 * does most of the work. Failures are left to the checkpoints of the writing connection, which report them.
 */
const MERGE = `
  const { parentPort, workerData: { file, restMs } } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  let rest;
  parentPort.on('message', () => {
    clearTimeout(rest);
    try {
      const database = new DatabaseSync(file, { timeout: 5_000 });
      try {
        for (let pass = 0; pass < 2; pass++) database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
      } finally {
        database.close();
      }
    } catch {}
    parentPort.postMessage('merged');
    rest = setTimeout(() => parentPort.close(), restMs);
  });
`;

/** A Node thread takes 17 MB, so it ends when nothing has been merged for this long, before the server frees memory. */
const REST_MS = 2_000;

/** The minimum time between two queries of how much has changed, because each takes as long as storing a row. */
const LOOK_MS = 50;

/** The condition for merging. */
export interface Much {
  /** The number of changes since the database was opened, as an SQL expression. */
  readonly changed: string;
  /** By how much the number must grow before the log is merged again. */
  readonly enough: number;
}

/**
 * Merges the write-ahead log of a busy database into its file on a separate thread, because it would block the writing
 * thread for 50 to 200 ms. Only concurrent writes are left to the writing thread.
 */
export class WalThread {
  readonly #database: DatabaseSync;
  readonly #enough: number;
  readonly #changed: StatementSync;
  #merged = 0;
  #worker: Worker | undefined;
  #isMerging = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param database the writing connection. */
  constructor(database: DatabaseSync, { changed, enough }: Much) {
    this.#database = database;
    this.#enough = enough;
    this.#changed = database.prepare(`SELECT ${changed} AS changed`);
  }

  /** Called after commits. Begins to merge if enough has changed since the last time. */
  afterCommit(): void {
    const now = performance.now();
    if (this.#isMerging || now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    const changed = Number(this.#changed.get()?.changed);
    // The number may be lower than before if much was deleted.
    this.#merged = Math.min(this.#merged, changed);
    if (changed - this.#merged < this.#enough) return;
    this.#merged = changed;
    this.#isMerging = true;
    this.#worker ??= this.#start();
    this.#worker.postMessage('merge');
  }

  /** Ends the thread, and with it its connection. */
  async close(): Promise<void> {
    this.#isMerging = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const workerData = { file: this.#database.location(), restMs: REST_MS };
    const worker = new Worker(MERGE, { eval: true, workerData, env: {}, execArgv: [] });
    worker.unref();
    const end = () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#isMerging = false;
    };
    worker.on('message', () => {
      if (!this.#database.isOpen) return;
      if (!this.#database.isTransaction) checkpoint(this.#database);
      this.#isMerging = false;
    });
    // Without the thread, the writing connection merges the log, only later.
    worker.on('error', end);
    worker.on('exit', end);
    return worker;
  }
}
