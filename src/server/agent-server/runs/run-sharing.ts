import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { Unit, Write } from '../../storage/unit.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import type { RunRow, RunStore } from '../data/run-store.ts';
import type { AbandonedTraceEnder, AbandonedTracesOptions } from './abandoned-traces.ts';
import type { Cancelled, LiveRun, RunIdentity } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import type { RunExecution } from './run-execution.ts';
import type { RunLedger } from './run-ledger.ts';
import type { RunResults } from './run-results.ts';
import type { UnfinishedRun, UnfinishedRunsOptions } from './unfinished-runs.ts';

/** Creates the parts that an agent server needs to share runs with other servers. */
export interface AgentTeam {
  shareRuns(options: RunSharingOptions): RunSharing;
  watchAbandonedTraces(options: AbandonedTracesOptions): AbandonedTraceEnder;
}

export interface RunSharingOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly runs: RunStore;
  readonly results: Pick<RunResults, 'read'>;
  readonly deploymentId: string;
  readonly logger: Logger;
}

/**
 * Shares runs between the servers of a database. All unfinished runs of a thread belong to one server,
 * which decides when they start; a run that another server accepts is handed to it.
 */
export interface RunSharing {
  /** Refuses a unit as gone if the run no longer belongs to this server. */
  expectOwn(unit: Unit, runId: string): void;
  /** Stores that a run that belongs to another server is to be canceled. */
  cancel(runId: string, threadId: string, cancelled: Cancelled): Promise<void>;
  /** The unfinished runs of all servers, or those on one thread, in the order in which they were accepted. */
  listAll(threadId?: string): Promise<RunRow[]>;
  /** Follows a run of another server until it ends. @returns when all that was stored so far has been read. */
  follow(row: RunRow): Promise<LiveRun>;
  /** Lets a scheduler share its runs. */
  join(scheduler: JoinedScheduler): SharedScheduling;
  /** Stops following runs. */
  close(): void;
}

/** A scheduler whose runs are shared. */
export interface JoinedScheduler extends UnfinishedRunsOptions {
  readonly deploymentId: string;
  readonly live: LiveRuns;
  readonly ledger: RunLedger;
  readonly execution: Pick<RunExecution, 'abandon'>;
  /** The work on runs that are being executed or ended. */
  readonly executing: Map<LiveRun, Promise<void>>;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
  /**
   * Accepts a run on this server.
   * @throws HttpError 409 when the thread is busy and the strategy is `reject`.
   */
  acceptHere(identity: RunIdentity, prepareThread: Write): Promise<LiveRun>;
  /** Announces a run that has been accepted, here or elsewhere. */
  publishAccepted(run: LiveRun): void;
  /** Cancels a run of this server. */
  cancel(run: LiveRun, cancelled: Cancelled): void;
  /** Adds an unfinished run of an earlier or another server, or ends it if it does not continue. */
  restore(unfinished: UnfinishedRun): void;
  /** Starts runs that may start now that a thread or a slot may be free. */
  schedule(threadId: string): void;
  /** Called when a run belongs to another server or has been deleted. */
  lose(run: LiveRun): void;
  /**
   * Leaves a run to the next start of this server, because there is no other server.
   * @returns whether this was stored.
   */
  leaveToNextStart(run: LiveRun): Promise<boolean>;
}

/** How a scheduler passes runs to other servers, and takes over theirs. */
export interface SharedScheduling {
  /**
   * Accepts a run here, or hands it to the server that has the thread.
   * @throws HttpError 409 when the thread is busy and the strategy is `reject`.
   */
  accept(identity: RunIdentity, prepareThread: Write): Promise<LiveRun>;
  /** Restores the unfinished runs that belong to this server, now and whenever more are handed to it. */
  recover(): Promise<void>;
  /** Called when a run of this server has ended. */
  noteEnd(runId: string): void;
  /** Asks other servers for slots while runs are waiting for one here. */
  askForSlots(): void;
  /** Follows a run of this server that another server continues from now on. */
  followElsewhere(run: LiveRun): void;
  /** Called at the end of each superstep of a run; leaves the run at that point if this server is stopping. */
  leaveAfterStep(run: LiveRun): void;
  /** Leaves all runs to other servers. @returns when all were left, or the signal is aborted. */
  leaveAll(signal: AbortSignal): Promise<void>;
}
