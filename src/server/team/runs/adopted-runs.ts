import { settled } from '../../../process/settled.ts';
import type { Cancelled, LiveRun } from '../../agent-server/runs/live-run.ts';
import type { LiveRuns } from '../../agent-server/runs/live-runs.ts';
import type { RunLedger } from '../../agent-server/runs/run-ledger.ts';
import {
  readUnfinishedThreads,
  type UnfinishedRun,
  type UnfinishedRunsOptions,
} from '../../agent-server/runs/unfinished-runs.ts';
import type { Logger } from '../../logger.ts';
import type { HandoverMeters } from '../../meters.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunHolders } from './run-holders.ts';

interface AdoptedRunsOptions extends UnfinishedRunsOptions {
  readonly db: StateDatabase;
  readonly logger: Logger;
  readonly live: LiveRuns;
  readonly ledger: Pick<RunLedger, 'isStored'>;
  readonly holders: RunHolders;
  readonly meters: HandoverMeters;
  /** The work on runs that have started. */
  readonly executing: ReadonlyMap<LiveRun, unknown>;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
  cancel(run: LiveRun, cancelled: Cancelled): void;
  restore(unfinished: UnfinishedRun): void;
  schedule(threadId: string): void;
  /** Called when a run belongs to another server, or has been deleted. */
  lose(run: LiveRun): void;
}

/** Adopts runs that other servers hand over to this one or leave behind. */
export class AdoptedRuns {
  readonly #options: AdoptedRunsOptions;
  /** Runs that ended while the list of runs was read from the database. */
  readonly #ended = new Set<string>();
  /** Runs that cannot be read. */
  readonly #unreadable = new Set<string>();
  #takesMore = true;
  #adopting: Promise<void> = Promise.resolve();

  constructor(options: AdoptedRunsOptions) {
    this.#options = options;
  }

  /** Until the server stops, adopts runs as they arrive, and notices cancellations. */
  async keepAdopting(): Promise<void> {
    const { db, logger, closing } = this.#options;
    while (!closing.aborted) {
      const change = db.bus.next(`node:${db.node}`, closing);
      await this.adopt().catch((err: unknown) => logger.warn({ err }, 'could not look for runs'));
      await change;
    }
  }

  /** Adopts the current runs. */
  adopt(): Promise<void> {
    return this.between(() => this.#adoptNow());
  }

  /** Runs work while no runs are being adopted. */
  between(work: () => Promise<void>): Promise<void> {
    const done = this.#adopting.then(work);
    this.#adopting = settled(done);
    return done;
  }

  /** Stops adopting runs, but still notices cancellations. @returns when no run is being adopted any longer. */
  stop(): Promise<void> {
    this.#takesMore = false;
    return this.#adopting;
  }

  /** Called when a run of this server has ended; it may be on a list of unfinished runs that was read earlier. */
  noteEnd(runId: string): void {
    this.#ended.add(runId);
  }

  async #adoptNow(): Promise<void> {
    const { holders, live, closing, lose } = this.#options;
    this.#ended.clear();
    const waiting = live.all().filter((run) => this.#isWaiting(run));
    const own = new Set<string>();
    const unknown = new Set<string>();
    for (const { run_id, cancel_action: action, cancel_reason } of await holders.listOwn()) {
      own.add(run_id);
      const run = live.find(run_id);
      if (run === undefined && !this.#unreadable.has(run_id)) unknown.add(run_id);
      if (run !== undefined && action !== null) {
        this.#options.cancel(run, { action, reason: cancel_reason ?? undefined });
      }
    }
    for (const runId of this.#ended) unknown.delete(runId);
    // A run that waits here but belongs to another server was handed over, although the response was lost.
    for (const run of waiting) if (!own.has(run.identity.runId) && this.#isWaiting(run)) lose(run);
    if (unknown.size > 0 && this.#takesMore && !closing.aborted) await this.#read(unknown);
  }

  /** Whether a stored run waits here to be started. */
  #isWaiting(run: LiveRun): boolean {
    const { live, ledger, executing } = this.#options;
    const isHere = live.find(run.identity.runId) === run;
    return isHere && run.state === 'pending' && ledger.isStored(run) && !executing.has(run);
  }

  /** Reads runs that are not known here, and restores them. */
  async #read(unknown: Set<string>): Promise<void> {
    const { meters, restore, schedule } = this.#options;
    // A thread continues once all of its runs have arrived, without waiting for other threads.
    for await (const ofThread of readUnfinishedThreads(this.#options, unknown)) {
      for (const unfinished of ofThread) {
        unknown.delete(unfinished.run.identity.runId);
        restore(unfinished);
        meters.handovers.count('taken');
      }
      const [first] = ofThread;
      if (first !== undefined) schedule(first.run.identity.threadId);
    }
    for (const runId of unknown) this.#unreadable.add(runId);
  }
}
