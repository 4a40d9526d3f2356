import { objectAt } from '../../../process/objects.ts';
import { ConnectionClosedError } from '../../../runtime/protocol/connection.ts';
import type { RunExecuteParams, RunResult } from '../../../runtime/protocol/protocol.ts';
import type { Generation } from '../../runtimes/generations/generation.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import type { RuntimeConnection, RuntimeProcess } from '../../runtimes/process/runtime-process.ts';
import type { LoadedGraphs, RevisionRuntimes } from '../../runtimes/revision-runtimes.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import type { RunKwargs } from '../data/run-kwargs.ts';
import { killAfterGrace } from '../runtime/kill-after-grace.ts';
import type { LiveRun, RunIdentity } from './live-run.ts';
import { StreamedUpdates } from './streamed-updates.ts';

/** The result of an execution: the runtime's answer, or the loss of its process. */
export type ExecutionResult = RunResult | LostProcess;

interface LostProcess {
  readonly status: 'lost';
  readonly state: null;
  /** How the process ended, such as `exited with code 1`. */
  readonly how?: string;
  /** How many times the process was lost at the current step. */
  readonly times?: number;
}

export interface RunExecutionOptions {
  readonly db: Pick<StateDatabase, 'outlasting'>;
  readonly runtimes: Pick<RevisionRuntimes, 'load'>;
  readonly checkpoints: CheckpointStore;
  /** The time limit of an attempt. */
  readonly timeLimitMs: number;
  /** The deployment's log. */
  readonly log: Pick<LogBook, 'write'>;
  /** Whether a run asks before each model call. */
  hasCostCap(run: LiveRun): boolean;
  /** Called before an attempt is sent to its runtime. */
  onStart(run: LiveRun): Promise<void>;
  /** Stores the revision of a run that is sent to a different revision than the one on which it began. */
  storeRevision(run: LiveRun): Promise<void>;
}

/** Executes one attempt of a run in a graph runtime. */
export class RunExecution {
  readonly #options: RunExecutionOptions;
  /** How to stop the runs that are being executed, by their IDs. */
  readonly #executing = new Map<
    string,
    { readonly process: RuntimeProcess; readonly connection: RuntimeConnection; stop(): void }
  >();

  constructor(options: RunExecutionOptions) {
    this.#options = options;
  }

  /**
   * Executes an attempt, until the runtime answers or its process is lost.
   * @throws RuntimeUnavailableError if the graphs are not loaded; DatabaseUnreachable if the server stops.
   */
  async execute(run: LiveRun): Promise<ExecutionResult> {
    const loaded = await this.#options.runtimes.load(run.revisionId, run.isSuspect);
    try {
      return await this.#executeIn(loaded, run);
    } finally {
      // The run's separate process is no longer needed. A process that is being debugged serves all runs, so
      // it is kept.
      if (run.isSuspect && loaded.generation !== loaded.runtime.current) loaded.generation.retire();
    }
  }

  async #executeIn({ generation, runtime: revision }: LoadedGraphs, run: LiveRun): Promise<ExecutionResult> {
    const { identity } = run;
    const failed = failureOf(generation, identity.graphId);
    if (failed !== undefined) return failed;
    const runtime = generation.runtimeOfGraph(identity.graphId);
    const attaching = revision.debugging.whenAttached(runtime.process);
    if (attaching !== undefined) await runtime.use(() => attaching);
    const params = await this.#options.db.outlasting(async () => {
      await this.#options.onStart(run);
      await this.#noteRevision(run, generation);
      return this.#makeParams(run);
    });
    if (run.cancelled !== undefined) return { status: 'cancelled', state: null };
    if (run.attempt > 1) this.#options.log.write('WARNING', attemptSentence(run));
    const { process } = runtime;
    const cancelLimit = process.clock.after(this.#options.timeLimitMs, () => {
      run.timedOut = true;
      this.cancel(run);
    });
    let cancelKill: (() => void) | undefined;
    try {
      const result = await runtime.use((connection) => {
        const stop = () => {
          connection.tell('run.cancel', { run_id: identity.runId });
          // The other runs of a process that is killed continue in a new one.
          cancelKill ??= killAfterGrace(process);
        };
        this.#executing.set(identity.runId, { process, connection, stop });
        return connection.request('run.execute', params);
      });
      run.answeredAttempt = run.attempt;
      return result;
    } catch (error) {
      if (!(error instanceof ConnectionClosedError)) throw error;
      // Otherwise the next attempt could be sent to the same dead process.
      process.kill();
      await generation.exited;
      return { status: 'lost', state: null, how: await process.exited };
    } finally {
      cancelLimit();
      cancelKill?.();
      this.#executing.delete(identity.runId);
    }
  }

  /** Stores and logs that a run continues on a different revision than the one on which it began. */
  async #noteRevision(run: LiveRun, { revisionId }: Generation): Promise<void> {
    const before = run.revisionId;
    if (before === revisionId) return;
    run.revisionId = revisionId;
    await this.#options.storeRevision(run);
    if (before === null || run.attempt === 1) return;
    const { runId } = run.identity;
    const message = `Run ${runId} began on revision ${before}, which is no longer served, and continues on revision ${revisionId}.`;
    this.#options.log.write('WARNING', message);
  }

  /** Asks the runtime to stop a run that it executes. */
  cancel(run: LiveRun): void {
    this.#executing.get(run.identity.runId)?.stop();
  }

  /** Makes the runtime stop a run that another server continues, without waiting until it has stopped. */
  abandon({ identity: { runId } }: LiveRun): void {
    const connection = this.#executing.get(runId)?.connection;
    connection?.tell('run.cancel', { run_id: runId });
  }

  /**
   * Kills a run's process if it is being debugged. Called for a second cancellation, because such a process
   * may never notice the first.
   */
  killDebugged(run: LiveRun): void {
    const process = this.#executing.get(run.identity.runId)?.process;
    if (process?.isDebugged === true) process.kill();
  }

  async #makeParams(run: LiveRun): Promise<RunExecuteParams> {
    const { identity, attempt } = run;
    const { kwargs } = identity;
    // Continues from the run's last checkpoint, so that stored steps are not repeated.
    const continues =
      attempt > 1 && (await this.#options.checkpoints.hasCheckpointOf(identity.threadId, identity.runId));
    run.streamedUpdates = continues
      ? await StreamedUpdates.read(
          run.stream,
          await this.#options.checkpoints.countEventsBefore(identity.threadId, identity.runId),
        )
      : undefined;
    const checkpoint = continues ? null : kwargs.checkpoint;
    return {
      run_id: identity.runId,
      thread_id: identity.threadId,
      assistant_id: identity.assistantId,
      graph_id: identity.graphId,
      attempt,
      input: continues ? null : (kwargs.input ?? null),
      command: continues ? null : kwargs.command,
      config: {
        ...kwargs.config,
        metadata: { ...objectAt(kwargs.config, 'metadata'), ...identity.metadata },
      },
      context: kwargs.context,
      checkpoint:
        checkpoint === null
          ? null
          : {
              ...(checkpoint.checkpoint_id ? { checkpoint_id: checkpoint.checkpoint_id } : {}),
              ...(checkpoint.checkpoint_ns ? { checkpoint_ns: checkpoint.checkpoint_ns } : {}),
              ...(checkpoint.checkpoint_map ? { checkpoint_map: checkpoint.checkpoint_map } : {}),
            },
      start_from: await this.#options.checkpoints.get({
        thread_id: identity.threadId,
        checkpoint_ns: checkpoint?.checkpoint_ns ?? '',
        checkpoint_id: checkpoint?.checkpoint_id ?? undefined,
      }),
      stream_modes: kwargs.stream_mode,
      stream_subgraphs: kwargs.stream_subgraphs,
      ...(kwargs.interrupt_before ? { interrupt_before: kwargs.interrupt_before } : {}),
      ...(kwargs.interrupt_after ? { interrupt_after: kwargs.interrupt_after } : {}),
      durability: kwargs.durability,
      ...tracerOf(kwargs.langsmith_tracer),
      ...(kwargs.strict_resume ? { strict_resume: true } : {}),
      ...exchangesOf(identity),
      ...(this.#options.hasCostCap(run) ? { has_cost_cap: true } : {}),
    };
  }
}

/** The result for a graph that is missing or failed to load; undefined for a graph that is loaded. */
function failureOf(generation: Generation, graphId: string): RunResult | undefined {
  const graph = generation.graph(graphId);
  if (graph?.status === 'loaded') return undefined;
  const error =
    graph === undefined
      ? { name: 'GraphNotFoundError', message: `Graph '${graphId}' is not in langgraph.json.` }
      : { ...graph.error, message: `Graph '${graphId}' failed to load: ${graph.error.message}` };
  return { status: 'error', state: null, error };
}

/** The destination of the spans, when the request names a project or a dataset example. */
function tracerOf(asked: RunKwargs['langsmith_tracer']): Pick<RunExecuteParams, 'tracer'> {
  const { project_name, example_id } = asked ?? {};
  if (project_name == null && example_id == null) return {};
  return {
    tracer: {
      ...(project_name == null ? {} : { project_name }),
      ...(example_id == null ? {} : { example_id }),
    },
  };
}

/**
 * How the runtime treats HTTP requests. A replay has the seed of its recording, so that random values are the
 * same.
 */
function exchangesOf({ runId, kwargs }: RunIdentity): Pick<RunExecuteParams, 'exchanges'> {
  if (kwargs.replay != null) return { exchanges: { mode: 'replay', seed: kwargs.replay.run_id } };
  return kwargs.record ? { exchanges: { mode: 'record', seed: runId } } : {};
}

function attemptSentence({ identity, attempt, streamedUpdates, isSuspect }: LiveRun): string {
  const how = streamedUpdates === undefined ? 'starts again' : 'continues from its last checkpoint';
  const where = isSuspect ? ', in a separate process because it may have caused the loss' : '';
  return `Run ${identity.runId} lost its process and ${how} (attempt ${attempt})${where}.`;
}
