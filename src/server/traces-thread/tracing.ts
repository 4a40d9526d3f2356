import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ChangeFeed } from '../http/change-feed.ts';
import { HttpError } from '../http/errors.ts';
import { RateLimit } from '../http/rate-limit.ts';
import type { Router } from '../http/router.ts';
import type { Logger } from '../logger.ts';
import { Meters } from '../meters.ts';
import type { Metric } from '../metric-text.ts';
import type { UnfinishedPurges } from '../purging/purge-jobs.ts';
import type { PurgingServices } from '../purging/purging-handlers.ts';
import { refuseLostFile } from '../storage/lost-database.ts';
import { prepareStaging } from '../storage/staging-folder.ts';
import { linksOf } from '../tracing/api/feedback/links.ts';
import type { TraceChange } from '../tracing/context/changes.ts';
import { newLinkSecret } from '../tracing/context/signed-links.ts';
import { PriceBook, type PricedProject, type PricesOfProject } from '../tracing/prices/price-book.ts';
import { CallPrices } from '../tracing/runs/call-cost.ts';
import { DeploymentProjects } from '../tracing/services/deployment-projects.ts';
import { InterruptedTraces } from '../tracing/services/interrupted-traces.ts';
import type { TracingServices } from '../tracing/services/services.ts';
import { PurgeGauges } from './purge-gauges.ts';
import { ReadingThreads } from './reading-threads.ts';
import { ReplicaWatch } from './replica-watch.ts';
import { RetriedOpening } from './retried-opening.ts';
import type { OpenTraceObjects, TraceObjectStore } from './trace-object-store.ts';
import type { TeamTraces, TracesWorkerData } from './worker-data.ts';
import { type ThreadNotice, unpackError } from './worker-protocol.ts';
import { WorkerThread } from './worker-thread.ts';
import { WritingThread } from './writing-thread.ts';

/** The options of a server's tracing. */
export interface TracingOptions {
  readonly dataDir: string;
  /** The platform's address, for links; called when a link is created. */
  readonly baseUrl: () => string;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  readonly meters?: TracingMeters;
  /** The storage threads' entry point: `dist/traces-worker.js`, or its TypeScript source. */
  readonly workerUrl: URL;
  readonly version?: string;
  /** The database of a team; without one, traces are in `traces.db`. */
  readonly database?: TeamTraces | undefined;
  /** The object store for large payloads of a team; without one, they are in its database. */
  readonly objects?: OpenTraceObjects | undefined;
  /** The maximum number of ingestion requests per minute for each key. */
  readonly limits?: { readonly single: number; readonly many: number };
  /**
   * Counts a request with traces of a workspace.
   * @returns the maximum size of the request in bytes; undefined for no limit.
   * @throws HttpError 429
   */
  readonly takeIngestion?: TracingServices['takeIngestion'];
  /**
   * The names of the secrets of the deployment that a key belongs to; spans sent with the key must not show their
   * values.
   */
  readonly hiddenNames?: (keyId: string) => Promise<readonly string[]>;
}

/** The metrics of the tracing threads. */
type TracingMeters = Pick<Meters, 'ingestion' | 'traceReads'>;

/** Calls an operation of any area on a thread. */
type Ask = WorkerThread['call'];

/** Requests per minute for each key. The limits are high, because the senders are the machine's own agents. */
const DEFAULT_LIMITS = { single: 6_000, many: 60_000 };

/** The maximum number of reading threads: one is enough until queries have to wait. */
const READERS = 3;
/** The maximum for a team, where each reading thread has a connection. */
const TEAM_READERS = 2;
/** The idle time after which a reading thread ends, because it takes 14 MB or more. The next query starts it again. */
const READER_REST_MS = 60_000;

/** The pause after a reading thread could not start, for example for lack of memory. */
const READER_RETRY_MS = 60_000;

/** How long `close` waits for threads whose database may be unreachable. */
const CLOSE_MS = 5_000;

/** Operations that store traces. */
const INGESTION: ReadonlySet<string> = new Set(['ingest', 'ingestSpans', 'ingestLogs']);

/** Links are valid for a week, because feedback may come days later. */
const RUN_LINK_MS = 7 * 86_400_000;

/**
 * The traces of a data folder, in `traces.db`, or of a team, in its database: the threads that own them, and the
 * services that use them.
 */
export class Tracing {
  /** The prices for calls that have not been traced yet; the thread that stores traces has its own price book. */
  readonly #prices: PriceBook;
  /** The folders of projects that may have their own prices, by workspace and project name. */
  readonly #priceFolders = new Map<string, PricesOfProject>();
  readonly #options: TracingOptions;
  readonly #services: TracingServices;
  readonly #purge: PurgingServices;
  readonly #linkSecret = newLinkSecret();
  readonly #objects: TraceObjectStore | undefined;
  readonly #reader: ReadingThreads;
  readonly #writer: WritingThread;
  readonly #meters: TracingMeters;
  readonly #purges: PurgeGauges;
  readonly #replica: ReplicaWatch | undefined;
  /** The opening of a team's traces; undefined for a data folder. */
  readonly #opening: RetriedOpening | undefined;
  /** Resolves when the folder for the contents of requests exists, without leftovers of a crash. */
  #staging: Promise<void> | undefined;
  #readerFailedAt = Number.NEGATIVE_INFINITY;
  #purging = false;
  #closed = false;

  /** Calls an operation of the writing thread. Operations that store traces are measured. */
  readonly #write: Ask = (operation, ...more) => {
    const call = async () => {
      this.#checkOpen();
      return this.#writer.call(operation, ...more);
    };
    return INGESTION.has(operation) ? this.#meters.ingestion.time(call, outcomeOf) : call();
  };

  /** Calls an operation that only reads, and measures it. */
  readonly #read: Ask = (...call) =>
    this.#meters.traceReads.time(
      () => this.#readUnmeasured(...call),
      () => ({}),
    );

  constructor(options: TracingOptions) {
    this.#options = options;
    const { database, dataDir, logger, meters = new Meters() } = options;
    this.#meters = meters;
    this.#prices = new PriceBook(dataDir);
    this.#reader = new ReadingThreads({
      start: (onFree) => this.#startReader(onFree),
      restMs: READER_REST_MS,
      count: database === undefined ? READERS : TEAM_READERS,
    });
    this.#writer = new WritingThread({
      start: () => this.#startWriter(),
      onDied: () => logger.error('the storage thread of traces stopped; restarting it'),
      // The servers of a team take turns writing. In a data folder, the writer must end last, because it removes the
      // log from disk.
      mayRest: () => database === undefined && !this.#reader.isRunning,
    });
    this.#opening =
      database === undefined ? undefined : new RetriedOpening({ open: () => this.#writer.open(), logger });
    this.#purge = { write: this.#write, read: this.#read };
    this.#replica = database?.replica === undefined ? undefined : new ReplicaWatch(logger);
    this.#purges = new PurgeGauges(() => this.#readUnfinishedPurges());
    this.#objects = options.objects?.({ dataDir, logger, write: this.#write });
    this.#services = this.#makeServices();
  }

  /** The services that the handlers of tracing use. */
  #makeServices(): TracingServices {
    const options = this.#options;
    return {
      write: this.#write,
      read: this.#read,
      hasTraces: () => this.#hasTraces(),
      purgeSessions: (request) => this.#purge.write('purgeSessions', request),
      publish: (workspaceId, changes) => publish(options.changes, workspaceId, changes),
      baseUrl: options.baseUrl,
      dataDir: options.dataDir,
      objects: this.#objects,
      version: options.version ?? '0.1.0',
      limits: {
        single: new RateLimit(
          options.limits?.single ?? DEFAULT_LIMITS.single,
          'single runs',
          'send many runs as one multipart request',
        ),
        many: new RateLimit(options.limits?.many ?? DEFAULT_LIMITS.many, 'requests with runs'),
      },
      takeIngestion: options.takeIngestion ?? (() => Promise.resolve(undefined)),
      hiddenNames: options.hiddenNames ?? (() => Promise.resolve([])),
      logger: options.logger,
    };
  }

  /**
   * Opens the database, so that damage is found at the start, and continues unfinished work. If nothing is stored yet,
   * the first write or query creates the files. A team's traces are opened later if its database is temporarily
   * unavailable.
   * @throws DataFolderError
   */
  async open(): Promise<void> {
    this.#checkOpen();
    this.#staging = prepareStaging(this.#options.dataDir);
    await this.#staging;
    if (this.#opening !== undefined) await this.#opening.begin();
    else if (this.#hasTraces()) await this.#writer.open();
    else refuseLostFile(this.#options.dataDir, 'traces.db');
  }

  /** The prices for a project's calls that have not been traced yet. */
  pricesOf(project: PricedProject): CallPrices {
    return new CallPrices(this.#prices, project);
  }

  /** Makes the `prices.json` in a project's folder, if any, take precedence for the project's calls. */
  usePrices(project: PricedProject, folder: string): void {
    const key = `${project.workspaceId}\n${project.name}`;
    if (this.#priceFolders.get(key)?.folder === folder) return;
    this.#priceFolders.set(key, { project, folder });
    this.#prices.useFolder(project, folder);
    // A thread that starts later gets the folders at its start.
    if (!this.#writer.isRunning) return;
    this.#services
      .write('usePrices', { project, folder })
      .catch((err: unknown) => this.#options.logger.warn({ err }, 'could not use the prices of a project'));
  }

  /**
   * Checks whether a load balancer should send requests here. A server of a team is ready once its traces
   * are open.
   * @throws HttpError 503
   */
  checkReady(): void {
    this.#opening?.checkOpen();
  }

  /**
   * Whether the replica answers queries, and if not, why; undefined without a replica, and before the first
   * query.
   */
  get replica(): ReplicaWatch['state'] {
    return this.#replica?.state;
  }

  /** Whether a purge is running, which keeps the server up. */
  get busy(): boolean {
    return this.#purging;
  }

  /** Reads how many bytes a workspace's payloads, attachments and examples take. */
  async readStoredBytes(workspaceId: string): Promise<number> {
    return this.#hasTraces() ? this.#services.read('readStoredBytes', { workspaceId }) : 0;
  }

  /** Returns the metrics that are known without waiting for a thread. */
  readGauges(): Metric[] {
    return [...this.#purges.read(), ...(this.#replica?.read() ?? [])];
  }

  /** Reads the unfinished purges; in a data folder, without starting threads that have ended. */
  async #readUnfinishedPurges(): Promise<UnfinishedPurges> {
    const { database } = this.#options;
    if (database === undefined && !this.#purging) return { count: 0, oldestSinceMs: undefined };
    return this.#readUnmeasured('readUnfinished', {});
  }

  #startWriter(): WorkerThread {
    const { workerUrl, changes, version } = this.#options;
    const objects = this.#objects;
    const data: TracesWorkerData = {
      ...this.#workerData(),
      role: 'write',
      version,
      hasObjects: objects !== undefined,
      prices: [...this.#priceFolders.values()],
    };
    const onNotice = (notice: ThreadNotice['notice']) => {
      if ('busy' in notice) this.#purging = notice.busy;
      else if ('loose' in notice) void objects?.remove(notice.loose);
      else if ('problem' in notice) {
        const err = unpackError(notice.problem);
        this.#options.logger.error({ err }, 'background work on traces failed; retrying');
      } else if ('changes' in notice) publish(changes, notice.workspaceId, notice.changes);
    };
    return new WorkerThread(workerUrl, data, { onNotice, objects });
  }

  #hasTraces(): boolean {
    const { database, dataDir } = this.#options;
    return database !== undefined || this.#writer.isRunning || existsSync(path.join(dataDir, 'traces.db'));
  }

  #checkOpen(): void {
    if (this.#closed) throw new HttpError(503, 'The server is stopping.');
    this.#opening?.checkUsable();
  }

  #startReader(onFree: () => void): WorkerThread {
    const data: TracesWorkerData = { ...this.#workerData(), role: 'read' };
    const onNotice = (notice: ThreadNotice['notice']) => {
      if ('replica' in notice) this.#replica?.note(notice.replica);
    };
    const objects = this.#objects;
    const thread = new WorkerThread(this.#options.workerUrl, data, { objects, onFree, onNotice });
    thread.ready.catch((err: unknown) => {
      if (this.#closed) return;
      this.#readerFailedAt = performance.now();
      this.#options.logger.error({ err }, 'the reading thread of traces could not start');
    });
    return thread;
  }

  #workerData() {
    const { dataDir, database, baseUrl } = this.#options;
    return { dataDir, database, linkSecret: this.#linkSecret, baseUrl: baseUrl() };
  }

  async #readUnmeasured(...call: Parameters<Ask>): Promise<never> {
    this.#checkOpen();
    if (this.#reader.isReady) return this.#reader.call(...call);
    if (this.#options.database !== undefined) {
      if (!this.#reader.isRunning) await this.#writer.open();
      this.#checkOpen();
      return this.#reader.call(...call);
    }
    // The first query does not wait for the reading thread to start. The writer creates the files to read.
    try {
      return await this.#writer.call(...call);
    } finally {
      const mayStart = performance.now() - this.#readerFailedAt > READER_RETRY_MS;
      if (mayStart && !this.#closed) this.#reader.start();
    }
  }

  /** Mounts all tracing routes. They are loaded only now, so that callers of graphs do not wait for them. */
  async mount(router: Router): Promise<void> {
    await this.#staging;
    const [{ mountTracing }, { mountPurging }] = await Promise.all([
      import('../tracing/api/routes.ts'),
      import('../purging/routes.ts'),
    ]);
    mountTracing(router, this.#services);
    mountPurging(router, this.#purge);
  }

  /**
   * Mounts the OpenTelemetry receiver for programs that send no key.
   * @param project the project for spans that name none.
   */
  async mountReceiver(router: Router, project: string | undefined): Promise<void> {
    await this.#staging;
    const [{ otlp }, { otlpHandlers }] = await Promise.all([
      import('../../contract/tracing/otlp.ts'),
      import('../tracing/api/otlp-handlers.ts'),
    ]);
    router.mount(otlp, otlpHandlers(this.#services, project));
  }

  /** The projects that deployments trace to. */
  get projects(): DeploymentProjects {
    return new DeploymentProjects(this.#services);
  }

  /** Ends the traces of a deployment's runs whose process was lost. */
  interruptedTraces(workspaceId: string, project: string): InterruptedTraces {
    return new InterruptedTraces(this.#services, workspaceId, project);
  }

  /**
   * Creates the links for a run's `feedback` event. The run's trace need not have arrived.
   * @returns the links by feedback key.
   */
  async createFeedbackTokens(options: {
    workspaceId: string;
    runId: string;
    keys: readonly string[];
  }): Promise<Record<string, string>> {
    const expiresAt = (Date.now() + RUN_LINK_MS) * 1000;
    const tokens = await this.#services.write('createTokens', {
      workspaceId: options.workspaceId,
      tokens: options.keys.map((key) => ({ runId: options.runId, key, expiresAt })),
    });
    return linksOf(this.#services.baseUrl(), tokens);
  }

  /** Purges everything of a workspace that no longer exists. @returns the ID of the job. */
  async purgeWorkspace(request: {
    workspaceId: string;
    /** The workspace in which the job can be followed. */
    recordIn: string;
    by: string | null;
  }): Promise<string> {
    return (await this.#purge.write('purgeWorkspace', request)).jobId;
  }

  /** Ends the storage threads after their pending work. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#opening?.close();
    this.#objects?.close();
    // The last thread to close removes the write-ahead log from disk, which a reader cannot do.
    const withinMs = this.#options.database === undefined ? undefined : CLOSE_MS;
    await this.#reader.close(withinMs);
    await this.#writer.close(withinMs);
  }
}

/** The outcome of a request with traces; some are refused because of their contents. */
function outcomeOf(error?: unknown): { outcome: 'stored' | 'refused' | 'failed' } {
  if (error === undefined) return { outcome: 'stored' };
  return { outcome: error instanceof HttpError && error.status < 500 ? 'refused' : 'failed' };
}

function publish(feed: ChangeFeed, workspaceId: string, changes: readonly TraceChange[]): void {
  for (const change of changes) feed.publish(workspaceId, change);
}
