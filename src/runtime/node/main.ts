/** The Node graph runtime: the process that runs the user's graphs, which the server talks to over a pipe. */
import process from 'node:process';
import { IdleMemory } from '../../process/idle-memory.ts';
import { forgetMallocSettings } from '../../process/malloc-settings.ts';
import { Connection } from '../protocol/connection.ts';
import type {
  BlockingCall,
  LogParams,
  RuntimeRequests,
  ServerNotifications,
  ServerRequests,
} from '../protocol/protocol.ts';
import { InProcessClient } from './context/in-process-client.ts';
import { RunContext } from './context/run-context.ts';
import { CostCaps } from './costs/cost-caps.ts';
import { watchModels } from './costs/watch-models.ts';
import { toRpcError } from './errors/runtime-error.ts';
import { Evaluators } from './evaluators/evaluators.ts';
import { Exchanges } from './exchanges/exchanges.ts';
import { interceptFetch } from './exchanges/fetch-interceptor.ts';
import type { HttpInterceptors } from './exchanges/http-interceptors.ts';
import { loadHttpInterceptors } from './exchanges/load-http-interceptors.ts';
import { interceptRandom } from './exchanges/random-interceptor.ts';
import { CustomApp } from './extras/custom-app.ts';
import { CustomAuth } from './extras/custom-auth.ts';
import { Embeddings } from './extras/embeddings.ts';
import { Extras } from './extras/extras.ts';
import { GraphInspections } from './graphs/graph-inspections.ts';
import { GraphRegistry } from './graphs/graph-registry.ts';
import { initialize, preload } from './initialize.ts';
import { offerLogger } from './langgraph/sdk-logger.ts';
import { UserLangGraphs } from './langgraph/user-langgraph.ts';
import { EventOutbox } from './link/event-outbox.ts';
import { openServerPipe } from './link/open-server-pipe.ts';
import type { NoNotifications, ServerConnection } from './link/server-link.ts';
import { LoopTurns } from './loop/loop-turns.ts';
import { LoopWatch } from './loop/loop-watch.ts';
import { NodeRuns } from './nodes/node-runs.ts';
import { closeDebugger, openDebugger } from './process/debugger.ts';
import { watchParent } from './process/parent-watch.ts';
import { refuseExit } from './process/process-exit.ts';
import { Runs } from './runs/execute-run.ts';
import { States } from './states/state.ts';
import { flushTraces } from './tracing/flush-traces.ts';
import { TraceBacklog } from './tracing/trace-backlog.ts';

forgetMallocSettings();
watchParent();

const exit = process.exit.bind(process);

const { stream, relayTo } = await openServerPipe();

const connection: ServerConnection = new Connection<
  ServerRequests,
  ServerNotifications,
  RuntimeRequests,
  NoNotifications
>({
  stream,
  requests: {
    initialize: (params) => {
      extras.configure(params);
      evaluators.configure(params);
      client.configure(params);
      return memory.after(initialize(params, { graphs, langgraphs, app, auth }));
    },
    'run.execute': async (params) => {
      if (params.exchanges !== undefined) {
        interceptorsLoading ??= loadHttpInterceptors(exchanges);
        httpInterceptors = await interceptorsLoading;
      }
      return memory.after(watch.during(runs.execute(params)));
    },
    'run.cancel': ({ run_id }) => {
      runs.cancel(run_id);
      nodeRuns.cancel(run_id);
      return {};
    },
    'state.get': withGraphErrors((params) => states.get(params)),
    'state.history': withGraphErrors((params) => states.readHistory(params)),
    'state.update': withGraphErrors((params) => states.update(params)),
    'node.input': withGraphErrors((params) => nodeRuns.readInput(params)),
    'node.run': withGraphErrors((params) => nodeRuns.run(params)),
    'graph.reducers': withGraphErrors((params) => inspections.listReducers(params)),
    'graph.schemas': withGraphErrors((params) => inspections.readSchemas(params)),
    'graph.draw': withGraphErrors((params) => inspections.draw(params)),
    'graph.subgraphs': withGraphErrors((params) => inspections.listSubgraphs(params)),
    'graph.locations': withGraphErrors((params) => inspections.locateGraph(params)),
    'evaluators.list': withGraphErrors((params) => evaluators.list(params)),
    'evaluators.run': withGraphErrors((params) => evaluators.run(params)),
    'debugger.open': () => {
      watch.isDebugged = true;
      return openDebugger();
    },
    'debugger.close': () => {
      watch.isDebugged = false;
      return closeDebugger();
    },
    'store.embed': withGraphErrors((params) => embeddings.embed(params)),
    'http.request': withGraphErrors((params) => app.request(params)),
    'http.cancel': (params) => app.cancel(params),
    'server.address': (params) => client.announce(params),
    'auth.authenticate': withGraphErrors((params) => auth.authenticate(params)),
    'auth.authorize': withGraphErrors((params) => auth.authorize(params)),
    ping: () => ({}),
    shutdown,
  },
  notifications: {},
  onProtocolError: (error) => {
    console.error(`The server violated the protocol: ${error.message}`);
    exit(1);
  },
});

const memory = new IdleMemory();
const extras = new Extras();
const evaluators = new Evaluators();
const embeddings = new Embeddings(extras);
const auth = new CustomAuth(extras);
const context = new RunContext();
const costs = new CostCaps(connection);
const langgraphs = new UserLangGraphs((managers) => watchModels(managers, () => costs.current));
let drained: Promise<void> | undefined;
const link = {
  connection,
  caughtUp: () => {
    if (!connection.congested) return Promise.resolve();
    // The promise is shared, because many runs may wait for the same pipe.
    drained ??= new Promise<void>((resolve) => stream.once('drain', resolve)).finally(() => {
      drained = undefined;
    });
    return drained;
  },
};
const graphs = new GraphRegistry(langgraphs, connection, new LoopTurns(link));
const states = new States(graphs, connection);
const inspections = new GraphInspections(graphs, (message) => log('info', message));
const nodeRuns = new NodeRuns(graphs, connection, context);
const client = new InProcessClient(context, relayTo);
const app = new CustomApp({ extras, connection, context, client });
let httpInterceptors: HttpInterceptors | undefined;
/** The promise is shared, because several runs may be the first to need the interceptors. */
let interceptorsLoading: Promise<HttpInterceptors> | undefined;
const exchanges = new Exchanges(context, connection, (isActive) => {
  if (isActive) httpInterceptors?.open();
  else httpInterceptors?.close();
});
const runs = new Runs({
  link,
  graphs,
  outbox: new EventOutbox(link),
  context,
  backlog: new TraceBacklog(connection),
  exchanges,
  costs,
  replaceMessageIds: (module) => httpInterceptors?.replaceMessageIds(module),
});

const watch = new LoopWatch((message, call) => log('warning', message, call));

// These must follow the creation of the server's client, and precede the loading of the project's code.
interceptFetch(exchanges);
interceptRandom(exchanges);
offerLogger(log);
refuseExit(() => runs.areActive || nodeRuns.areActive);

// The working directory is the project's folder, so LangGraph can load before `initialize` arrives.
void preload(process.cwd(), langgraphs);

// A runtime without a server has no purpose.
void connection.closed.then(() => exit(0));

process.on('uncaughtException', (error) => reportStray('Uncaught exception', error));
process.on('unhandledRejection', (reason) => reportStray('Unhandled rejection', reason));

/** Errors of user code outside of runs are only logged. */
function reportStray(what: string, thrown: unknown): void {
  log('error', `${what}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
}

/** Writes to the deployment's log, with the run of the code that logs. */
function log(level: LogParams['level'], message: string, blocking?: BlockingCall): void {
  const { runId } = context;
  connection.notify('log', {
    level,
    message,
    ...(runId === undefined ? {} : { run_id: runId }),
    ...(blocking === undefined ? {} : { blocking }),
  });
}

/** Unfinished runs are not canceled, because the next process continues them from their last checkpoint. */
async function shutdown(): Promise<Record<never, never>> {
  await flushTraces(langgraphs);
  setImmediate(() => connection.close());
  return {};
}

function withGraphErrors<Params, Result>(
  handle: (params: Params) => Promise<Result>,
): (params: Params) => Promise<Result> {
  return (params) =>
    memory.after(handle(params)).catch((error: unknown) => {
      throw toRpcError(error);
    });
}
