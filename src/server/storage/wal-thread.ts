import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { checkpoint } from './idle-checkpoint.ts';

/**
 * The program of the thread, as text, so that it needs no separate file. The first pass does most of the work; the second
 * merges writes made during the first. Errors are ignored, because the writing connection also makes checkpoints.
 */
const THREAD_PROGRAM = `
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

/** The thread ends when it has merged nothing for this long, because it takes 17 MB. */
const REST_MS = 2_000;

/** The minimum time between two queries for the measure. Each takes as long as storing a row. */
const CHECK_INTERVAL_MS = 50;

/** When the log is merged. */
export interface MergeThreshold {
  /** A measure of what was written, as an SQL expression. Only its growth counts; deleting may make it smaller. */
  readonly measure: string;
  /** By how much the measure must grow before the log is merged again; before the first time, from 0. */
  readonly minGrowth: number;
}

/**
 * Merges the write-ahead log of a busy database into its file on a separate thread, because this would block the writing
 * thread for 50 to 200 ms. The writing thread only merges what was written in the meantime.
 */
export class WalThread {
  readonly #database: DatabaseSync;
  readonly #minGrowth: number;
  readonly #readMeasure: StatementSync;
  #measureAtMerge = 0;
  #worker: Worker | undefined;
  #isMerging = false;
  #isClosed = false;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** @param database the writing connection. */
  constructor(database: DatabaseSync, { measure, minGrowth }: MergeThreshold) {
    this.#database = database;
    this.#minGrowth = minGrowth;
    this.#readMeasure = database.prepare(`SELECT ${measure} AS measure`);
  }

  /** Called after each commit. Starts merging if enough has changed since the last time. */
  afterCommit(): void {
    const now = performance.now();
    if (this.#isClosed || this.#isMerging || now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    const measure = Number(this.#readMeasure.get()?.measure);
    // The measure may be lower than before if much was deleted.
    this.#measureAtMerge = Math.min(this.#measureAtMerge, measure);
    if (measure - this.#measureAtMerge < this.#minGrowth) return;
    this.#measureAtMerge = measure;
    this.#isMerging = true;
    this.#worker ??= this.#start();
    this.#worker.postMessage('merge');
  }

  /** Ends the thread, and with it its connection. It is not started again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const workerData = { file: this.#database.location(), restMs: REST_MS };
    const worker = new Worker(THREAD_PROGRAM, { eval: true, workerData, env: {}, execArgv: [] });
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
