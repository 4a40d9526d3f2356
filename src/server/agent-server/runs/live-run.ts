import type { MultitaskStrategy, RunStatus } from '../../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import type { RunKwargs } from './run-kwargs.ts';
import type { RunStream } from './run-stream.ts';
import type { ToldUpdates } from './told-updates.ts';

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

export interface RunIdentity {
  readonly runId: string;
  readonly threadId: string;
  readonly assistantId: string;
  readonly graphId: string;
  readonly metadata: JsonObject;
  readonly kwargs: RunKwargs;
  readonly multitaskStrategy: MultitaskStrategy;
  readonly stateless: boolean;
  /** Not before this moment, in ms since the epoch. */
  readonly startAfter: number;
}

/** A run that was accepted and has not ended: what the server holds in memory beside its row. */
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
  /** Times it was started. */
  attempt: number;
  /** Those of them that servers before this one have made. */
  readonly earlierAttempts: number;
  cancelled: Cancelled | undefined;
  /** Set when something of it could not be stored. */
  storageFailure: unknown;
  timedOut = false;
  /** What its readers know already of the step that this attempt continues. */
  told: ToldUpdates | undefined;
  /** The last attempt that a runtime has answered, and so has ended the trace of. */
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

  settle(outcome: RunOutcome): void {
    this.stream.end();
    this.#settle(outcome);
  }
}
