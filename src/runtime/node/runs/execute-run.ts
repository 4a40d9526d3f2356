import { createHash } from 'node:crypto';
import { untilAborted } from '../../../process/until-aborted.ts';
import type {
  JsonObject,
  RunExecuteParams,
  RunResult,
  RuntimeError,
  StateSummary,
} from '../../protocol/protocol.ts';
import type { Checkpointer } from '../checkpoints/checkpointer.ts';
import type { Preloaded } from '../checkpoints/preloaded.ts';
import { runConfig, runInput } from '../context/run-config.ts';
import { type RunContext, userOf } from '../context/run-context.ts';
import type { CappedRun, CostCaps } from '../costs/cost-caps.ts';
import { ownStack } from '../errors/error-causes.ts';
import { describeError } from '../errors/runtime-error.ts';
import type { Exchanges } from '../exchanges/exchanges.ts';
import type { RunExchanges } from '../exchanges/run-exchanges.ts';
import type { GraphRegistry, OpenGraph } from '../graphs/graph-registry.ts';
import { OpenSpans } from '../langgraph/open-spans.ts';
import type { GraphConfig } from '../langgraph-types.ts';
import type { EventOutbox, RunEvents } from '../link/event-outbox.ts';
import type { ServerLink } from '../link/server-link.ts';
import { toJsonText } from '../link/wire-format.ts';
import { summarizeRun } from '../states/state-summary.ts';
import type { MakeId } from '../streams/output-ids.ts';
import { StreamEvents } from '../streams/stream-events.ts';
import { streamGraph } from '../streams/stream-graph.ts';
import type { TraceBacklog } from '../tracing/trace-backlog.ts';
import { runCallbacks } from './run-callbacks.ts';
import { traceFailedFactory } from './trace-factory.ts';

export interface RunDependencies {
  readonly link: ServerLink;
  readonly graphs: GraphRegistry;
  readonly outbox: EventOutbox;
  readonly context: RunContext;
  readonly backlog: TraceBacklog;
  readonly exchanges: Exchanges;
  readonly costs: CostCaps;
  /** Gives messages of recorded runs IDs that are the same in a replay. */
  replaceMessageIds(module: Readonly<Record<string, unknown>>): void;
}

/** The runs of this process: executes and aborts them. */
export class Runs {
  readonly #dependencies: RunDependencies;
  readonly #active = new Map<string, AbortController>();

  constructor(dependencies: RunDependencies) {
    this.#dependencies = dependencies;
  }

  get areActive(): boolean {
    return this.#active.size > 0;
  }

  execute(params: RunExecuteParams): Promise<RunResult> {
    const abort = new AbortController();
    const { context, link, exchanges, costs } = this.#dependencies;
    const recording = exchanges.begin(params, () => abort.abort());
    const user = userOf(params.config.configurable);
    const initiator = { run_id: params.run_id, ...(user === undefined ? {} : { user }) };
    this.#active.set(params.run_id, abort);
    const running = context.within(initiator, async () => {
      const run = () => executeRun(params, abort.signal, this.#dependencies);
      const ended = await (params.has_cost_cap ? costs.within(params.run_id, run) : run());
      const result = recording?.refused === undefined ? ended : divergedAt(recording.refused, ended);
      if (result.error !== undefined) logFailure(link, params.run_id, result.error);
      return result;
    });
    return running.finally(() => {
      this.#active.delete(params.run_id);
      if (recording !== undefined) exchanges.end(recording);
    });
  }

  /** Aborts the run's signal; the answer to its execution says how it ended. Unknown runs are ignored. */
  cancel(runId: string): void {
    this.#active.get(runId)?.abort();
  }
}

/** Runs a graph to its end; errors of user code are part of the result. */
async function executeRun(
  params: RunExecuteParams,
  signal: AbortSignal,
  { link, graphs, outbox, backlog, exchanges, costs, replaceMessageIds }: RunDependencies,
): Promise<RunResult> {
  const events = outbox.open(params.run_id);
  const metadata = runMetadata(params);
  const config = runConfig(params, metadata);
  let open: OpenGraph;
  try {
    const opening = graphs.open(params.graph_id, config, {
      accessContext: 'threads.create_run',
      executionRuntime: { context: config.context },
    });
    // A factory may be slow, and does not get the signal.
    open = await untilAborted(opening, signal);
  } catch (error) {
    if (signal.aborted) return { status: 'cancelled', state: null };
    const langgraph = await graphs.langgraphOf(params.graph_id);
    if (langgraph !== undefined) await traceFailedFactory(params, config, langgraph, error);
    return { status: 'error', state: null, error: describeError(error) };
  }
  if (params.exchanges !== undefined) {
    replaceMessageIds(await open.langgraph.importModule('@langchain/core/callbacks/manager'));
  }
  await backlog.waitForRoom(open.langgraph, signal);
  const checkpointer = open.checkpointer({
    connection: link.connection,
    threadId: params.thread_id,
    runId: params.run_id,
    metadata: { ...metadata, langgraph_version: open.langgraph.version },
    durability: params.durability,
    preloaded: preloadedOf(params),
    events,
  });
  const streamed = new StreamEvents(params.stream_modes, events, idsOf(exchanges.current));
  const running = { ...config, signal };
  const capped = costs.current;
  const failure = await stream(params, {
    open,
    checkpointer,
    config: running,
    streamed,
    events,
    signal,
    capped,
  });
  const state = await summarize(open, params.thread_id, checkpointer, streamed.lastValues);
  events.send();
  return resultOf(failure, signal.aborted, state);
}

/**
 * Makes IDs of messages that are the same in a replay, in whatever order the tasks of a superstep end; undefined for a
 * run that is not recorded.
 */
function idsOf(recorded: RunExchanges | undefined): MakeId | undefined {
  if (recorded === undefined) return undefined;
  return (message) => {
    const digest = createHash('sha256').update(toJsonText(message)).digest('hex');
    return recorded.randomUuid('output', { node: '', task: digest });
  };
}

/** The parts of a run that its stream needs. */
interface StreamedRun {
  readonly open: OpenGraph;
  readonly checkpointer: Checkpointer;
  /** LangGraph's config, with the signal. */
  readonly config: GraphConfig;
  readonly streamed: StreamEvents;
  readonly events: RunEvents;
  readonly signal: AbortSignal;
  /** The run, if it has a cap on costs. */
  readonly capped: CappedRun | undefined;
}

/** Streams a graph to its end, and then ends its open spans. @returns the thrown value, if any */
async function stream(
  params: RunExecuteParams,
  { open: { graph, langgraph, view }, checkpointer, config, streamed, events, signal, capped }: StreamedRun,
): Promise<{ thrown: unknown } | undefined> {
  const callbacks = await runCallbacks(params, langgraph);
  const spans = new OpenSpans(params.run_id, async () => {
    const refusal = await capped?.refusal();
    return refusal === undefined ? undefined : `CostCapReached: ${refusal}`;
  });
  let failure: { thrown: unknown } | undefined;
  try {
    await streamGraph({
      runId: params.run_id,
      graph: view(graph, checkpointer),
      langgraph,
      input: runInput(params, langgraph),
      config: { ...config, ...callbacks },
      modes: params.stream_modes,
      subgraphs: params.stream_subgraphs,
      signal,
      streamed,
      events,
    });
  } catch (thrown) {
    failure = { thrown };
  }
  if (failure === undefined && !signal.aborted) {
    spans.forget();
    return undefined;
  }
  await spans.end(langgraph);
  return failure;
}

async function summarize(
  { graph, view }: OpenGraph,
  threadId: string,
  checkpointer: Checkpointer,
  sentValues: string | undefined,
): Promise<StateSummary | { unreadable: unknown }> {
  const config = { configurable: { thread_id: threadId, checkpoint_ns: '' } };
  try {
    return await summarizeRun(view(graph, checkpointer), config, checkpointer, sentValues);
  } catch (error) {
    return { unreadable: error };
  }
}

/** The result of a replay that was aborted because it diverged from its recording. */
function divergedAt(message: string, { state }: RunResult): RunResult {
  return { status: 'error', state, error: { name: 'ReplayDivergence', message } };
}

function resultOf(
  failure: { thrown: unknown } | undefined,
  aborted: boolean,
  state: StateSummary | { unreadable: unknown },
): RunResult {
  const readable = 'unreadable' in state ? null : state;
  if (aborted) return { status: 'cancelled', state: readable };
  if (failure !== undefined) {
    return { status: 'error', state: readable, error: describeError(failure.thrown) };
  }
  if ('unreadable' in state) return { status: 'error', state: null, error: describeError(state.unreadable) };
  return { status: state.next.length > 0 ? 'interrupted' : 'success', state };
}

/** Logs the stack of an error, because clients get only its message. */
function logFailure({ connection }: ServerLink, run_id: string, error: RuntimeError): void {
  const message = error.stack === undefined ? `${error.name}: ${error.message}` : ownStack(error.stack);
  connection.notify('log', { level: 'error', message, run_id });
}

function runMetadata(params: RunExecuteParams): JsonObject {
  const { config, run_id, thread_id, graph_id, assistant_id, attempt } = params;
  return {
    ...(typeof config.metadata === 'object' ? config.metadata : {}),
    run_id,
    thread_id,
    graph_id,
    assistant_id,
    run_attempt: attempt,
  };
}

function preloadedOf({ checkpoint, start_from: tuple }: RunExecuteParams): Preloaded {
  if (tuple === null) return { kind: checkpoint === null ? 'empty' : 'unknown' };
  return { kind: checkpoint?.checkpoint_id === undefined ? 'newest' : 'one', tuple };
}
