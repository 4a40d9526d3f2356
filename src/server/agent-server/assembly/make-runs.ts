import type { RevisionRuntimes } from '../../runtimes/revision-runtimes.ts';
import type { AgentServerOptions } from '../agent-server-options.ts';
import { type AuthorOf, authorOf } from '../auth/run-author.ts';
import type { DeploymentChanges } from '../deployment-changes.ts';
import { Metrics } from '../monitoring/metrics.ts';
import type { Replays } from '../recordings/replays.ts';
import { RunRequests } from '../requests/run-requests.ts';
import type { AbandonedTraceEnder } from '../runs/abandoned-traces.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import { OrphanedTraces } from '../runs/orphaned-traces.ts';
import { RunCosts } from '../runs/run-costs.ts';
import { RunExecution } from '../runs/run-execution.ts';
import { RunResults } from '../runs/run-results.ts';
import { RunScheduler } from '../runs/run-scheduler.ts';
import type { RunSharing } from '../runs/run-sharing.ts';
import { Runs } from '../runs/runs.ts';
import type { ThreadStates } from '../states/thread-states.ts';
import type { WebhookOutbox } from '../webhooks/webhook-outbox.ts';
import type { Access } from './make-access.ts';
import type { Stores } from './make-stores.ts';

/** The parts that accept, execute and stream the runs of a deployment. */
export interface RunParts {
  /** Undefined unless servers share a database. */
  readonly sharing: RunSharing | undefined;
  readonly metrics: Metrics;
  readonly orphanedTraces: OrphanedTraces;
  readonly abandonedTraces: AbandonedTraceEnder | undefined;
  readonly scheduler: RunScheduler;
  readonly costs: RunCosts;
  readonly requests: RunRequests;
  readonly runs: Runs;
  readonly authorOf: AuthorOf;
}

/** The parts that runs depend on. */
interface Dependencies {
  readonly runtimes: RevisionRuntimes;
  readonly stores: Stores;
  readonly changes: DeploymentChanges;
  readonly states: ThreadStates;
  readonly access: Pick<Access, 'usable' | 'authorization'>;
  readonly webhooks: WebhookOutbox;
  readonly live: LiveRuns;
  readonly replays: Replays;
}

export function makeRuns(options: AgentServerOptions, parts: Dependencies): RunParts {
  const { deployment, host, runs: limits, tracing } = options;
  const { runtimes, stores, changes, states, webhooks, live, replays } = parts;
  const runtime = runtimes.current;
  const { db, queue, team, checkpoints, threads } = stores;
  const shared = { db, queue, runs: stores.runs, deploymentId: deployment.id };
  const results = new RunResults({ db, readAt: (...at) => states.readAt(...at) });
  const sharing = team?.shareRuns({ ...shared, results, logger: host.logger });
  const metrics = new Metrics({
    db,
    deploymentId: deployment.id,
    live,
    concurrency: limits.concurrency,
    isPaused: () => scheduler.isPaused,
  });
  const orphanedTraces = new OrphanedTraces({
    db,
    traces: tracing.interrupted,
    deploymentId: deployment.id,
    logger: host.logger,
  });
  const { costs, execution } = makeExecution(options, parts, metrics);
  const scheduler: RunScheduler = new RunScheduler({
    db,
    queue,
    live,
    sharing,
    threads,
    runs: stores.runs,
    checkpoints,
    changes,
    logger: host.logger,
    deploymentId: deployment.id,
    execution,
    currentRevision: () => runtime.revisionId,
    concurrency: limits.concurrency,
    continueAfterCrash: limits.continueAfterCrash,
    readState: (threadId, graphId) => states.readSummary(threadId, graphId),
    onEnd: (unit, run, outcome) => {
      webhooks.enqueue(unit, run, outcome);
      replays.end(unit, run);
    },
    onEnded: (run, outcome) => {
      metrics.noteEnd(run, outcome);
      webhooks.wake(run);
    },
    onCutOff: (run, ended) => orphanedTraces.endRun(run, ended),
  });
  return {
    sharing,
    metrics,
    orphanedTraces,
    abandonedTraces: team?.watchAbandonedTraces({
      db,
      deploymentId: deployment.id,
      traces: tracing.interrupted,
      logger: host.logger,
    }),
    scheduler,
    costs,
    requests: makeRequests(options, parts, scheduler),
    runs: new Runs({
      db,
      queue,
      live,
      store: stores.runs,
      results,
      sharing,
      scheduler,
      checkpoints,
      deploymentId: deployment.id,
    }),
    authorOf: (call) => authorOf(call, runtime.project?.config.http?.configurable_headers),
  };
}

/** Creates the parts that execute runs and cap their costs, which need each other. */
function makeExecution(
  { runs: limits, tracing, log }: AgentServerOptions,
  { runtimes, stores, live, replays }: Dependencies,
  metrics: Metrics,
): { costs: RunCosts; execution: RunExecution } {
  const { db, queue, checkpoints } = stores;
  const costs: RunCosts = new RunCosts({
    db,
    queue,
    store: stores.costs,
    live,
    prices: tracing.prices,
    log,
    maxPerDay: () => runtimes.current.project?.config.max_cost_per_day ?? undefined,
    stop: (run) => execution.cancel(run),
  });
  const execution = new RunExecution({
    db,
    runtimes,
    checkpoints,
    timeLimitMs: limits.timeLimitMs,
    log,
    hasCostCap: (run) => costs.hasCap(run),
    onStart: (run) => {
      metrics.noteStart(run);
      return replays.begin(run);
    },
    storeRevision: ({ identity: { runId, threadId }, revisionId }) =>
      queue.writeForRun(threadId, (unit) => stores.runs.update(unit, runId, { revision_id: revisionId })),
  });
  return { costs, execution };
}

function makeRequests(
  { room, tracing }: AgentServerOptions,
  { runtimes, stores, access, webhooks }: Dependencies,
  scheduler: RunScheduler,
): RunRequests {
  return new RunRequests({
    assistants: access.usable,
    authorization: access.authorization,
    threads: stores.threads,
    scheduler,
    room,
    recordsByDefault: () => runtimes.current.records,
    checkWebhook: (url, loc) => webhooks.check(url, loc),
    feedbackLinks: (runId, keys) => tracing.feedbackLinks(runId, keys),
  });
}
