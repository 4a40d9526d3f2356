import assert from 'node:assert/strict';
import { RunAuthorization } from '../../src/server/agent-server/auth/run-authorization.ts';
import { CheckpointStore } from '../../src/server/agent-server/data/checkpoints/checkpoint-store.ts';
import { RunStore } from '../../src/server/agent-server/data/run-store.ts';
import { ThreadStore } from '../../src/server/agent-server/data/thread-store.ts';
import { RunRequests } from '../../src/server/agent-server/requests/run-requests.ts';
import type { LiveRun } from '../../src/server/agent-server/runs/live-run.ts';
import { LiveRuns } from '../../src/server/agent-server/runs/live-runs.ts';
import type { ExecutionResult } from '../../src/server/agent-server/runs/run-execution.ts';
import { RunResults } from '../../src/server/agent-server/runs/run-results.ts';
import { RunScheduler, type RunSchedulerOptions } from '../../src/server/agent-server/runs/run-scheduler.ts';
import { Runs } from '../../src/server/agent-server/runs/runs.ts';
import { makeLogger } from '../../src/server/logger.ts';
import { Meters } from '../../src/server/meters.ts';
import { SqliteState } from '../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../src/server/storage/state-database.ts';
import { TeamRuns } from '../../src/server/team/runs/team-runs.ts';
import { assistantRow, DEPLOYMENT } from './deployment-database.ts';
import { OneThreadQueue } from './one-thread-queue.ts';

export const SLOTS = 2;
export const ENDED: ExecutionResult = {
  status: 'success',
  state: { values: '{}', next: [], interrupts: '{}', checkpoint_id: '1' },
};

/** The execution of a run. */
interface Execution {
  /** The server that executes it. */
  readonly server: object;
  end(result: ExecutionResult): void;
}

/** Imitates the runtimes of servers: a started run continues until the test ends it. */
export class Executions {
  readonly started: LiveRun[] = [];
  readonly #running = new Map<LiveRun, Execution>();

  /** Executes the runs of one server. @param slots how many it may execute at once. */
  forServer(slots: number): RunSchedulerOptions['execution'] {
    const server = {};
    const cancel = (run: LiveRun) => this.#end(run, { status: 'cancelled', state: null });
    return {
      execute: async (run) => {
        const { threadId } = run.identity;
        for (const other of this.#running.keys()) assert.notEqual(other.identity.threadId, threadId);
        const own = [...this.#running.values()].filter((other) => other.server === server);
        assert.ok(own.length < slots);
        this.started.push(run);
        if (run.cancelled !== undefined) return { status: 'cancelled', state: null };
        return new Promise((end) => this.#running.set(run, { server, end }));
      },
      cancel,
      abandon: cancel,
      killDebugged: () => {},
    };
  }

  isExecuting(run: LiveRun): boolean {
    return this.#running.has(run);
  }

  endThose(which: (run: LiveRun) => boolean): void {
    for (const run of [...this.#running.keys()].filter(which)) this.#end(run, ENDED);
  }

  #end(run: LiveRun, result: ExecutionResult): void {
    const execution = this.#running.get(run);
    this.#running.delete(run);
    execution?.end(result);
  }
}

/**
 * A scheduler whose runs are ended by the test. Its `failures` are the errors of its runs.
 * @param executions those of several servers, to be looked at together.
 */
export function makeScheduler(db: StateDatabase, executions = new Executions(), slots = SLOTS) {
  const failures: unknown[] = [];
  const logger = makeLogger({ level: 'silent' });
  const queue = new OneThreadQueue(db);
  const live = new LiveRuns();
  const threads = new ThreadStore(db, DEPLOYMENT);
  const store = new RunStore(db, DEPLOYMENT);
  const checkpoints = new CheckpointStore(db);
  const shared = { db, queue, runs: store, deploymentId: DEPLOYMENT };
  const results = new RunResults({ db, readAt: async () => undefined });
  const meters = new Meters();
  const sharing = new TeamRuns({ ...shared, results, meters, logger });
  const scheduler = new RunScheduler({
    sharing: db instanceof SqliteState ? undefined : sharing,
    db,
    queue,
    live,
    threads,
    logger,
    runs: store,
    checkpoints,
    changes: { publish: () => {} },
    deploymentId: DEPLOYMENT,
    execution: executions.forServer(slots),
    currentRevision: () => null,
    concurrency: slots,
    continueAfterCrash: true,
    readState: async () => ({ status: 'idle' }),
    onEnd: () => {},
    onEnded: (_, { error }) => {
      if (error !== undefined) failures.push(error);
    },
    onCutOff: () => {},
  });
  const runs = new Runs({
    ...shared,
    live,
    store,
    results,
    sharing: db instanceof SqliteState ? undefined : sharing,
    scheduler,
    checkpoints,
  });
  const requests = new RunRequests({
    assistants: { resolve: async (graph) => assistantRow(graph) },
    authorization: new RunAuthorization({
      isOn: false,
      ask: () => Promise.reject(new Error('The project has no auth.')),
      checked: (read) => read(),
    }),
    threads,
    scheduler,
    room: { checkRuns: async () => {}, checkThreads: async () => {}, checkStorage: async () => {} },
    recordsByDefault: () => false,
    checkWebhook: () => {},
    feedbackLinks: async () => ({}),
  });
  return {
    db,
    executions,
    failures,
    live,
    threads,
    sharing: sharing.holders,
    meters,
    scheduler,
    requests,
    runs,
  };
}
