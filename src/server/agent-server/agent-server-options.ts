import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../../contract/endpoint.ts';
import type { RuntimeState } from '../../contract/harbor.ts';
import type { Caller } from '../http/caller.ts';
import type { ChangeFeed } from '../http/change-feed.ts';
import type { DispatchOptions } from '../http/dispatch.ts';
import type { Logger } from '../logger.ts';
import type { DeploymentRuntimeOptions } from '../runtimes/deployment-runtime.ts';
import type { LogBook } from '../runtimes/log-book.ts';
import type { TracingTarget } from '../runtimes/runtime-environment.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { InterruptedTraces } from '../tracing/interrupted-traces.ts';
import type { CommitQueue } from './commit-queue.ts';

/** What an agent server is made with, by area. */
export interface AgentServerOptions {
  readonly deployment: DeploymentIdentity;
  readonly host: HostOptions;
  readonly storage: StorageOptions;
  readonly access: AccessOptions;
  readonly runtime: RuntimeOptions;
  readonly runs: RunOptions;
  readonly tracing: TracingOptions;
  /** What people read of the deployment: the output of its graphs, and what happened to them. */
  readonly log: LogBook;
  onRuntimeState(state: RuntimeState): void;
}

export interface DeploymentIdentity {
  readonly id: string;
  readonly organizationId: string;
  readonly workspaceId: string;
}

/** The server process that an agent server is part of. */
export interface HostOptions {
  readonly version: string;
  /** Names the process in the leases that its runs take. */
  readonly serverId: string;
  readonly logger: Logger;
  readonly changes: ChangeFeed;
  /** Its ports, which no webhook may reach. */
  ownPorts(): ReadonlySet<number>;
}

export interface StorageOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
}

/** Who may call. */
export interface AccessOptions {
  /** Whose key a request has; undefined when the deployment asks for none. @throws HttpError 401 or 403 */
  authenticate(request: IncomingMessage, credentials: Credentials): Promise<Caller | undefined>;
  /** Whether a request has the key of this machine's owner. */
  isOwner(request: IncomingMessage): Promise<boolean>;
  readonly hold?: DispatchOptions['hold'];
}

/** What its graphs run in. */
export type RuntimeOptions = Pick<
  DeploymentRuntimeOptions,
  'source' | 'nodeRuntime' | 'pythonRuntime' | 'headStart' | 'memory' | 'sleepAfterMs'
>;

export interface RunOptions {
  /** Runs at once in this deployment. */
  readonly concurrency: number;
  /** Milliseconds a run may take. */
  readonly timeLimitMs: number;
  /** Whether runs cut off by a crash continue from their last checkpoint; they end as errors otherwise. */
  readonly continueAfterCrash: boolean;
}

/** The traces of its runs. */
export interface TracingOptions {
  readonly target: TracingTarget;
  /** Those whose process was lost. */
  readonly interrupted: InterruptedTraces;
  /** Makes a pre-signed link for each key, whose feedback lands on the run's trace. */
  feedbackLinks(runId: string, keys: readonly string[]): Promise<Record<string, string>>;
}
