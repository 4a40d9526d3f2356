import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import { RevisionRuntimes } from '../../runtimes/revision-runtimes.ts';
import type { AgentServerOptions } from '../agent-server-options.ts';
import { Assistants } from '../assistants/assistants.ts';
import { DeploymentChanges } from '../deployment-changes.ts';
import { Readiness } from '../monitoring/readiness.ts';
import { LiveRuns } from '../runs/live-runs.ts';
import { CustomRoutes } from '../runtime/custom-routes.ts';
import { InProcessCalls } from '../runtime/in-process-calls.ts';
import { OwnAddress } from '../runtime/own-address.ts';
import { ThreadStates } from '../states/thread-states.ts';
import type { WebhookOutbox } from '../webhooks/webhook-outbox.ts';
import { type Access, makeAccess } from './make-access.ts';
import { type CronParts, makeCrons } from './make-crons.ts';
import { makeRecordings, type RecordingParts } from './make-recordings.ts';
import { makeRuns, type RunParts } from './make-runs.ts';
import { makeStores, type Stores } from './make-stores.ts';
import { makeThreads, type ThreadParts } from './make-threads.ts';
import { makeWebhooks } from './make-webhooks.ts';

/** The parts of an agent server. */
export interface AgentServerParts extends Access, RunParts, ThreadParts, CronParts, RecordingParts {
  readonly address: OwnAddress;
  /** The calls of the project's own code. */
  readonly inProcess: InProcessCalls;
  /** The runtime of the revision that is served. */
  readonly runtime: DeploymentRuntime;
  readonly runtimes: RevisionRuntimes;
  /** The deployment's unfinished runs. */
  readonly live: LiveRuns;
  readonly stores: Stores;
  readonly room: AgentServerOptions['room'];
  readonly assistants: Assistants;
  readonly webhooks: WebhookOutbox;
  readonly readiness: Readiness;
  readonly states: ThreadStates;
  /** The routes of the project's own `http.app`. */
  readonly customRoutes: CustomRoutes;
}

/** Creates the parts of an agent server in dependency order. */
export function makeParts(options: AgentServerOptions): AgentServerParts {
  const address = new OwnAddress();
  const inProcess = new InProcessCalls();
  const runtimes = makeRuntimes(options, address, inProcess);
  const runtime = runtimes.current;
  const stores = makeStores(options, runtime);
  const changes = new DeploymentChanges(options.host.changes, options.deployment);
  const assistants = new Assistants({ db: stores.db, store: stores.assistants, runtime, changes });
  const access = makeAccess(options, { runtime, assistants, inProcess });
  const webhooks = makeWebhooks(options, { runtime, address, inProcess });
  const { checkpoints, queue } = stores;
  const states = new ThreadStates({ checkpoints, queue, runtime, texts: options.host.textCache });
  const live = new LiveRuns();
  const recordings = makeRecordings(options.log, { runtime, stores, live });
  const { replays } = recordings;
  const runs = makeRuns(options, { runtimes, stores, changes, states, access, webhooks, live, replays });
  const threads = makeThreads(options, { runtime, stores, changes, states, runs, live });
  const crons = makeCrons(options, { stores, assistants, webhooks, ...access, ...threads, ...runs });
  const customRoutes = new CustomRoutes(runtime);
  return {
    address,
    inProcess,
    runtime,
    runtimes,
    live,
    stores,
    room: options.room,
    assistants,
    webhooks,
    readiness: new Readiness({
      db: stores.db,
      runtime: options.runtime.loadsWhenAsked === true ? undefined : runtime,
      tracing: options.tracing,
    }),
    states,
    customRoutes,
    ...access,
    ...runs,
    ...threads,
    ...crons,
    ...recordings,
  };
}

function makeRuntimes(
  { runtime, tracing, log }: AgentServerOptions,
  address: OwnAddress,
  { token }: InProcessCalls,
): RevisionRuntimes {
  return new RevisionRuntimes({
    ...runtime,
    tracing: tracing.target,
    log,
    watch: runtime.source.deployed === undefined,
    server: async () => {
      const url = await address.waitForUrl();
      return { token, ...(url === undefined ? {} : { url }) };
    },
  });
}
