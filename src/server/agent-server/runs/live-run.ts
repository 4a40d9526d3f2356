import type { MultitaskStrategy, RunStatus } from '../../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import type { RunKwargs } from '../data/run-kwargs.ts';
import type { RunStream } from './run-stream.ts';
import type { StreamedUpdates } from './streamed-updates.ts';

export interface RunFailure {
  readonly error: string;
  readonly message: string;
}

/** How a run ended. */
export interface RunOutcome {
  readonly status: RunStatus;
  /** The resulting state as JSON text; null if there is none. */
  readonly values: string | null;
  readonly error?: RunFailure;
}

/** How a run is canceled: it keeps what it has reached, or is deleted with its checkpoints. */
export type CancelAction = 'interrupt' | 'rollback';

/** The cancellation of a run. */
export interface Cancelled {
  readonly action: CancelAction;
  readonly reason?: string | undefined;
}

/** A cap on the costs of model calls that was reached. */
export interface ReachedCap {
  readonly of: 'run' | 'day';
  /** The cap in dollars. */
  readonly cap: number;
  /** For a daily cap, the dollars that all runs of the deployment have cost on that day. */
  readonly spent?: number;
}

/** The data of a run that never changes. */
export interface RunIdentity {
  readonly runId: string;
  readonly threadId: string;
  readonly assistantId: string;
  readonly graphId: string;
  readonly metadata: JsonObject;
  readonly kwargs: RunKwargs;
  readonly multitaskStrategy: MultitaskStrategy;
  readonly stateless: boolean;
  /** Earliest start, in ms since the epoch. */
  readonly startAfter: number;
}

/** The in-memory state of an accepted run that has not ended. */
export class LiveRun {
  readonly identity: RunIdentity;
  readonly stream: RunStream;
  readonly outcome: Promise<RunOutcome>;
  readonly #settle: (outcome: RunOutcome) => void;
  state: 'pending' | 'running' = 'pending';
  /** When the run's row was created. */
  readonly acceptedAt: string;
  /** When the run was first started. */
  startedAt: string | undefined;
  /** Whether the run's position in its thread has been stored, which happens when it starts. */
  hasPlace = false;
  /**
   * The revision of the run's last attempt; null before the first one, and in deployments without revisions.
   */
  revisionId: string | null = null;
  /** How many times the run has been started. */
  attempt: number;
  /** Attempts made by earlier servers. */
  readonly earlierAttempts: number;
  cancelled: Cancelled | undefined;
  /** The error of the run's first write that failed; undefined if none has failed. */
  storageFailure: unknown;
  timedOut = false;
  /** The cost of its model calls so far in dollars; only counted if there is a cap. */
  cost = 0;
  /** The number of model calls that a replay has sent, and whose cost has not been counted yet. */
  sentModelCalls = 0;
  /** Set when a model call was refused because of a cap. */
  reachedCap: ReachedCap | undefined;
  /**
   * Whether the run may have crashed its process. It then gets a separate process for each further attempt.
   */
  isSuspect = false;
  /** The updates that readers already received from the step that this attempt continues. */
  streamedUpdates: StreamedUpdates | undefined;
  /** The last attempt to which a runtime responded, and whose trace the runtime has therefore ended. */
  answeredAttempt = 0;

  constructor(identity: RunIdentity, stream: RunStream, attempt = 0, acceptedAt = new Date().toISOString()) {
    this.identity = identity;
    this.acceptedAt = acceptedAt;
    this.stream = stream;
    this.attempt = attempt;
    this.earlierAttempts = attempt;
    const { promise, resolve } = Promise.withResolvers<RunOutcome>();
    this.outcome = promise;
    this.#settle = resolve;
  }

  /** Marks the run as running, and counts the attempt. Called when it is the run's turn. */
  start(): void {
    this.state = 'running';
    this.startedAt ??= new Date().toISOString();
    this.attempt++;
  }

  /** Whether the run must end now, regardless of its runtime's answer. */
  get mustEnd(): boolean {
    return this.cancelled !== undefined || this.timedOut || this.reachedCap !== undefined;
  }

  /**
   * Called when nothing executes the run any longer, so that a cancellation before its next start ends it.
   */
  waitAgain(): void {
    this.state = 'pending';
  }

  /** Ends the run's stream, and resolves `outcome`. */
  settle(outcome: RunOutcome): void {
    this.stream.end();
    this.#settle(outcome);
  }
}
