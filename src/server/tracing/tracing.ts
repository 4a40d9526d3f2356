import { datasets } from '../../contract/datasets/datasets.ts';
import { examples, platformExamples } from '../../contract/datasets/examples.ts';
import { purging } from '../../contract/purging.ts';
import { feedback } from '../../contract/tracing/feedback.ts';
import { info } from '../../contract/tracing/info.ts';
import { otlp } from '../../contract/tracing/otlp.ts';
import { runQueries } from '../../contract/tracing/run-queries.ts';
import { runs } from '../../contract/tracing/runs.ts';
import { sessions } from '../../contract/tracing/sessions.ts';
import type { ChangeFeed } from '../http/change-feed.ts';
import { RateLimit } from '../http/rate-limit.ts';
import type { Router } from '../http/router.ts';
import type { Logger } from '../logger.ts';
import { purgingHandlers } from '../purging/handlers.ts';
import type { TracesWorkerData } from '../storage/traces-worker.ts';
import { WorkerThread } from '../storage/worker-thread.ts';
import type { TraceChange } from './changes.ts';
import { datasetHandlers } from './datasets/handlers.ts';
import { DeploymentProjects } from './deployment-projects.ts';
import { feedbackHandlers, linksOf } from './feedback/handlers.ts';
import { infoHandlers } from './info-handlers.ts';
import { ingestionHandlers } from './ingestion/handlers.ts';
import { otlpHandlers } from './otlp/handlers.ts';
import { queryHandlers } from './query/handlers.ts';
import { runQueriesHandlers } from './query/run-queries-handlers.ts';
import type { ReadOperations } from './read-operations.ts';
import type { TracingServices } from './services.ts';
import { sessionHandlers } from './sessions/handlers.ts';
import { newLinkSecret } from './signed-links.ts';
import type { WriteOperations } from './write-operations.ts';

export interface TracingOptions {
  readonly dataDir: string;
  /** The platform's address, for links; asked for when one is made. */
  readonly baseUrl: () => string;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  /** The storage thread's entry: `dist/traces-worker.js`, or its TypeScript source. */
  readonly workerUrl: URL;
  readonly version?: string;
  /** Ingestion requests a minute for each key. */
  readonly limits?: { readonly single: number; readonly many: number };
}

/** Generous: a machine's own agents are no strangers. */
const STANDARD_LIMITS = { single: 6_000, many: 60_000 };

/** Links live a week: somebody may want to judge a run some days later. */
const RUN_LINK_MS = 7 * 86_400_000;

/**
 * Opens tracing of a data folder: ingestion, queries and feedback over `traces.db`.
 * @throws MigrationError, or SQLite's error when the file cannot be opened.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const writer = new WorkerThread<WriteOperations>(
    options.workerUrl,
    workerData({ role: 'write', dataDir: options.dataDir }),
    ({ workspaceId, changes }) => publish(options.changes, workspaceId, changes),
  );
  await writer.ready;
  return new Tracing(options, writer);
}

export class Tracing {
  readonly #writer: WorkerThread<WriteOperations>;
  readonly #services: TracingServices;
  #reader: WorkerThread<ReadOperations> | undefined;

  constructor(options: TracingOptions, writer: WorkerThread<WriteOperations>) {
    this.#writer = writer;
    this.#services = {
      write: (operation, argument, transfer) => writer.call(operation, argument, transfer),
      read: (operation, argument) => {
        // Most of a start is over before anybody asks for a trace.
        this.#reader ??= new WorkerThread(
          options.workerUrl,
          workerData({
            role: 'read',
            dataDir: options.dataDir,
            linkSecret: newLinkSecret(),
            baseUrl: options.baseUrl(),
          }),
        );
        return this.#reader.call(operation, argument);
      },
      publish: (workspaceId, changes) => publish(options.changes, workspaceId, changes),
      baseUrl: options.baseUrl,
      dataDir: options.dataDir,
      version: options.version ?? '0.1.0',
      limits: {
        single: new RateLimit(options.limits?.single ?? STANDARD_LIMITS.single, 'single runs'),
        many: new RateLimit(options.limits?.many ?? STANDARD_LIMITS.many, 'requests with runs'),
      },
      logger: options.logger,
    };
  }

  /** Serves everything of tracing, at the root and under `/api/v1`. */
  mount(router: Router): void {
    const services = this.#services;
    const everywhere = ['', '/api/v1'];
    router.mount(info, infoHandlers(services), everywhere);
    router.mount(runs, { ...ingestionHandlers(services), ...queryHandlers(services) }, everywhere);
    router.mount(otlp, otlpHandlers(services), everywhere);
    router.mount(runQueries, runQueriesHandlers(services));
    router.mount(sessions, sessionHandlers(services), everywhere);
    router.mount(purging, purgingHandlers(services), everywhere);
    const { datasets: datasetTable, examples: exampleTable, platform } = datasetHandlers(services);
    router.mount(datasets, datasetTable, everywhere);
    router.mount(examples, exampleTable, everywhere);
    router.mount(platformExamples, platform, ['', '/api']);
    router.mount(feedback, feedbackHandlers(services), everywhere);
  }

  /** The projects that deployments trace to. */
  get projects(): DeploymentProjects {
    return new DeploymentProjects(this.#services);
  }

  /**
   * Makes the links of a run's `feedback` event. The run's trace need not have arrived.
   * @returns the address by key.
   */
  async createFeedbackTokens(options: {
    workspaceId: string;
    runId: string;
    traceId?: string;
    keys: readonly string[];
    projectName?: string;
  }): Promise<Record<string, string>> {
    const expiresAt = (Date.now() + RUN_LINK_MS) * 1000;
    const ids = await this.#services.write('createTokens', {
      workspaceId: options.workspaceId,
      tokens: options.keys.map((key) => ({ runId: options.runId, traceId: options.traceId, key, expiresAt })),
    });
    return linksOf(this.#services.baseUrl(), options.keys, ids);
  }

  /** Ends the storage threads after what they have been asked. */
  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader?.close()]);
  }
}

function publish(feed: ChangeFeed, workspaceId: string, changes: readonly TraceChange[]): void {
  for (const change of changes) feed.publish(workspaceId, change);
}

function workerData(data: TracesWorkerData): TracesWorkerData {
  return data;
}
