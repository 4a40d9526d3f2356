import type { MultitaskStrategy, RunStatus } from '../../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import type { RunKwargs } from '../data/run-kwargs.ts';
import type { RunStream } from './run-stream.ts';
import type { StreamedUpdates } from './streamed-updates.ts';

export interface RunFailure {
  readonly error: string;
  readonly message: string;
}

/** How a run ended. `values` is the resulting state as JSON text, null when there is none. */
export interface RunOutcome {
  readonly status: RunStatus;
  readonly values: string | null;
  readonly error?: RunFailure;
}

export type CancelAction = 'interrupt' | 'rollback';

export interface Cancelled {
  readonly action: CancelAction;
  readonly reason?: string | undefined;
}

/** A cap on the costs of model calls that was reached. */
export interface ReachedCap {
  readonly of: 'run' | 'day';
  /** Dollars. */
  readonly cap: number;
  /** The dollars that all runs of the deployment cost on that day, for a daily cap. */
  readonly spent?: number;
}

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
  /** When its row was created. */
  readonly acceptedAt: string;
  /** When it was first started. */
  startedAt: string | undefined;
  /** Whether its position among the runs of its thread is stored, which it is from its start on. */
  hasPlace = false;
  /** The revision of its last attempt; null before the first one, and where there are no revisions. */
  revisionId: string | null = null;
  /** How often it was started. */
  attempt: number;
  /** Attempts made by earlier servers. */
  readonly earlierAttempts: number;
  cancelled: Cancelled | undefined;
  /** Set when a write of the run failed. */
  storageFailure: unknown;
  timedOut = false;
  /** The dollars of its model calls so far, while it has a cap. */
  cost = 0;
  /** Set when a model call was refused because of a cap. */
  reachedCap: ReachedCap | undefined;
  /** It may be the run that ended its process, so from now on it gets a process of its own. */
  isSuspect = false;
  /** The updates that readers already received from the step that this attempt continues. */
  streamedUpdates: StreamedUpdates | undefined;
  /** The last attempt that a runtime answered, and whose trace it has therefore ended. */
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

  /** Called when it is its turn. */
  start(): void {
    this.state = 'running';
    this.startedAt ??= new Date().toISOString();
    this.attempt++;
  }

  /** Whether it has to end now, whatever its runtime answers. */
  get isToEnd(): boolean {
    return this.cancelled !== undefined || this.timedOut || this.reachedCap !== undefined;
  }

  /** Nothing executes the run any longer, so a cancellation before its next start ends it. */
  waitAgain(): void {
    this.state = 'pending';
  }

  settle(outcome: RunOutcome): void {
    this.stream.end();
    this.#settle(outcome);
  }
}
