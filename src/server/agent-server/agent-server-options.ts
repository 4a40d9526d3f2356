import type { IncomingMessage } from 'node:http';
import type { Access } from '../../contract/endpoint.ts';
import type { RuntimeState } from '../../contract/harbor.ts';
import type { Caller } from '../http/caller.ts';
import type { ChangeFeed } from '../http/change-feed.ts';
import type { DispatchOptions } from '../http/dispatch.ts';
import type { Logger } from '../logger.ts';
import type { Meters } from '../meters.ts';
import type { Metric } from '../metric-text.ts';
import type { DeploymentRuntimeOptions } from '../runtimes/deployment-runtime.ts';
import type { LogBook } from '../runtimes/output/log-book.ts';
import type { TracingTarget } from '../runtimes/process/runtime-environment.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { CallPrices } from '../tracing/runs/call-cost.ts';
import type { InterruptedTraces } from '../tracing/services/interrupted-traces.ts';
import type { CommitQueue } from './data/commit-queue.ts';
import type { TextCache } from './data/text-cache.ts';
import type { AgentTeam } from './runs/run-sharing.ts';

/** Options of an agent server, by area. */
export interface AgentServerOptions {
  readonly deployment: DeploymentIdentity & { readonly name: string };
  /** A network address to listen on besides loopback. */
  readonly networkAddress?: string | undefined;
  /**
   * The URL for clients, if it is not the address that the server listens on; every request then needs a
   * key.
   */
  readonly publicUrl?: string | undefined;
  readonly host: HostOptions;
  readonly storage: StorageOptions;
  readonly access: AccessOptions;
  readonly room: RoomOptions;
  readonly runtime: RuntimeOptions;
  readonly runs: RunOptions;
  readonly tracing: TracingOptions;
  /** The deployment's log: output from its graphs and events of their runtime. */
  readonly log: LogBook;
  onRuntimeState(state: RuntimeState): void;
}

export interface DeploymentIdentity {
  readonly id: string;
  readonly organizationId: string;
  readonly workspaceId: string;
}

/** The server process of an agent server. */
export interface HostOptions {
  readonly version: string;
  readonly logger: Logger;
  readonly changes: ChangeFeed;
  /** Texts that the runtimes of all agent servers have computed. */
  readonly textCache: TextCache;
  /** Measures requests. */
  readonly meters: Pick<Meters, 'requests'>;
  /** The metrics of the whole server. */
  readonly metrics: { read(): Promise<Metric[]> };
  /** Reads whether a deployment is paused. */
  readonly pauses: { read(deploymentId: string): Promise<boolean> };
  /** Ports of the server, which webhooks must not reach. */
  ownPorts(): ReadonlySet<number>;
}

export interface StorageOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  /** The servers that share the database; undefined if there is only one. */
  readonly team: AgentTeam | undefined;
}

/** Identifies callers and checks their keys. */
export interface AccessOptions {
  /**
   * Finds the caller by a request's key; undefined if the deployment does not require one.
   * @throws HttpError 401 or 403
   */
  authenticate(request: IncomingMessage, asked: Access): Promise<Caller | undefined>;
  /** Whether a request has the key of this machine's owner. */
  isOwner(request: IncomingMessage): Promise<boolean>;
  readonly onRevoked?: DispatchOptions['onRevoked'];
}

/** Checks whether the limits of the workspace leave room for more. */
export interface RoomOptions {
  /** @throws HttpError 429 */
  checkRuns(more: number): Promise<void>;
  /** @throws HttpError 429 */
  checkThreads(): Promise<void>;
  /** @throws HttpError 429 */
  checkStorage(): Promise<void>;
}

/** Options of the runtime that runs the deployment's graphs. */
export type RuntimeOptions = Pick<
  DeploymentRuntimeOptions,
  'source' | 'nodeRuntime' | 'pythonRuntime' | 'headStart' | 'memory' | 'sleepAfterMs' | 'loadsWhenAsked'
>;

export interface RunOptions {
  /** The maximum number of concurrent runs in this deployment. */
  readonly concurrency: number;
  /** The time limit of each attempt of a run, in milliseconds. */
  readonly timeLimitMs: number;
  /** Whether runs interrupted by a crash continue from their last checkpoint, or end as errors. */
  readonly continueAfterCrash: boolean;
}

/** Options for tracing the deployment's runs. */
export interface TracingOptions {
  readonly target: TracingTarget;
  /** Traces of runs whose process was lost. */
  readonly interrupted: InterruptedTraces;
  /** Prices of model calls. */
  readonly prices: Pick<CallPrices, 'costOf' | 'nameOf'>;
  /** Makes the prices of a project's own `prices.json` take precedence. */
  usePrices(folder: string): void;
  /** @throws HttpError 503 while traces cannot be accepted. */
  checkReady(): void;
  /**
   * Creates a pre-signed link for each feedback key. Feedback sent to a link is stored with the run's trace.
   */
  feedbackLinks(runId: string, keys: readonly string[]): Promise<Record<string, string>>;
}
