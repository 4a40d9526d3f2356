import type { MultitaskStrategy, RunStatus } from '../../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import type { RunKwargs } from '../data/run-kwargs.ts';
import type { RunStream } from './run-stream.ts';
import type { StreamedUpdates } from './streamed-updates.ts';

export interface RunFailure {
  readonly error: string;
  readonly message: string;
}

/** How a run ended. `values` is JSON text of the state reached, null when there is none. */
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

/** A cap on what model calls cost, which was reached. */
export interface ReachedCap {
  readonly of: 'run' | 'day';
  /** Dollars. */
  readonly cap: number;
  /** Dollars that all runs of the deployment cost on the day, for a cap of the day. */
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
  /** When its row was made. */
  readonly acceptedAt: string;
  /** When it was started first. */
  startedAt: string | undefined;
  /** Whether its position among the runs of its thread is stored: it has one from its start on. */
  hasPlace = false;
  /** Times it was started. */
  attempt: number;
  /** Attempts made by earlier servers. */
  readonly earlierAttempts: number;
  cancelled: Cancelled | undefined;
  /** Set when storing something of it failed. */
  storageFailure: unknown;
  timedOut = false;
  /** Dollars that its model calls have cost, while it has a cap. */
  cost = 0;
  /** Set when a model call was refused because of a cap. */
  reachedCap: ReachedCap | undefined;
  /** It may be what ended its process: from now on it gets one of its own. */
  isSuspect = false;
  /** The updates that readers already received of the step that this attempt continues. */
  streamedUpdates: StreamedUpdates | undefined;
  /** The last attempt answered by a runtime, which has therefore ended its trace. */
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

  /** Its turn has come. */
  start(): void {
    this.state = 'running';
    this.startedAt ??= new Date().toISOString();
    this.attempt++;
  }

  /** Whether it has to end now, whatever its runtime says. */
  get isToEnd(): boolean {
    return this.cancelled !== undefined || this.timedOut || this.reachedCap !== undefined;
  }

  /** Nothing executes the run any more, so a cancellation before its next start ends it. */
  waitAgain(): void {
    this.state = 'pending';
  }

  settle(outcome: RunOutcome): void {
    this.stream.end();
    this.#settle(outcome);
  }
}
