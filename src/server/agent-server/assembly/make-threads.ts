import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { AgentServerOptions } from '../agent-server-options.ts';
import { ThreadSearches } from '../data/thread-search.ts';
import type { DeploymentChanges } from '../deployment-changes.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { ThreadStates } from '../states/thread-states.ts';
import { Sweeper } from '../threads/sweeper.ts';
import { Threads } from '../threads/threads.ts';
import type { RunParts } from './make-runs.ts';
import type { Stores } from './make-stores.ts';
import { sweepSettings } from './settings.ts';

/** The parts that create, find and delete the threads of a deployment. */
export interface ThreadParts {
  readonly threads: Threads;
  readonly searches: ThreadSearches;
  readonly sweeper: Sweeper;
}

export function makeThreads(
  { deployment, room, log }: AgentServerOptions,
  parts: {
    runtime: DeploymentRuntime;
    stores: Stores;
    changes: DeploymentChanges;
    states: ThreadStates;
    runs: RunParts;
    live: LiveRuns;
  },
): ThreadParts {
  const { runtime, stores, changes, states, runs, live } = parts;
  const { db, queue, checkpoints, threads: store, items } = stores;
  const { scheduler } = runs;
  return {
    threads: new Threads({
      db,
      queue,
      store,
      states,
      checkpoints,
      runs: runs.runs,
      scheduler,
      changes,
      room,
    }),
    searches: new ThreadSearches(db, deployment.id),
    sweeper: new Sweeper({
      db,
      threads: store,
      checkpoints,
      live,
      items,
      log,
      settings: () => sweepSettings(runtime.project?.config),
      onThreadChange: (action, id) => {
        changes.publish('thread', action, id);
        db.bus.hint(`thread:${id}`);
      },
    }),
  };
}
