import type { Client } from '../../../client/client.ts';
import { RequestError } from '../../../client/request-error.ts';
import { isAnswer } from '../../../client/retry.ts';
import type { RunStream } from '../../../client/run-stream.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { pause } from '../../../process/pause.ts';
import { type Diagram, toDiagram } from '../../graphs/diagram.ts';
import { parentIdOf } from '../../states/checkpoint-ids.ts';
import { readStateAt } from '../../states/state-at.ts';
import { Breakpoints } from './breakpoints.ts';
import type { FeedbackLinks } from './feedback-links.ts';
import type { Journal } from './journal.ts';
import type { NodeDetails, PastStep, RunOptions, Session } from './messages.ts';
import { ALL_STREAM_MODES } from './messages.ts';
import { pastDetails, pastSteps } from './past-steps.ts';
import { readSubagent } from './read-subagent.ts';
import type { RunBody } from './repeated-run-body.ts';
import { type PanelClock, RunFollower } from './run-follower.ts';
import { inputShapeOf } from './run-input.ts';
import { RunQueue } from './run-queue.ts';
import { bodyOf, type RunRequest, settingsOf } from './run-request.ts';
import { TaskEvents } from './task-events.ts';
import { ThreadView } from './thread-view.ts';
import { valueHistory } from './value-history.ts';
import type { ValueHistory } from './value-step.ts';

/** The deployment that a session runs on, opened on first use. */
interface SessionDeployment {
  readonly name: string;
  /** The name with that of its platform, for display. */
  readonly place: string;
  readonly isProduction: boolean;
  /** Whether it is in an open folder. */
  readonly isLive: boolean;
  /** A client of its agent server. */
  readonly client: Client;
}

interface RunSessionOptions {
  readonly assistantId: string;
  readonly threadId: string | undefined;
  readonly journal: Journal;
  readonly feedback: FeedbackLinks;
  /** The feedback keys of runs whose options name none. */
  readonly feedbackKeys: () => readonly string[];
  /** Dollars that a run may cost; undefined for any amount. */
  readonly maxCost: () => number | undefined;
  readonly deployment: () => Promise<SessionDeployment>;
  /** Writes to the deployment's log, if that is possible from here. */
  readonly writeLog: (line: { run_id: string; thread_id: string; message: string }) => Promise<void>;
  readonly clock: PanelClock;
  /** Called when schemas that were late have arrived, so that the session should be read again. */
  readonly onSchemas: () => void;
  /** The pause before late schemas are requested again. */
  readonly schemaRetryMs?: number;
  /** Called with errors of background work. */
  readonly onError: (error: unknown) => void;
}

const SCHEMA_RETRY_MS = 1_000;

/** A run to start. */
interface RunToStart {
  readonly threadId: string;
  readonly request: RunRequest;
  readonly options: RunOptions;
  readonly checkpointId: string | undefined;
}

/** A run that has stopped with nodes still to run. */
interface StoppedRun {
  readonly state: ThreadState;
  readonly runId: string;
  readonly threadId: string;
  readonly options: RunOptions;
}

/** The session of a run panel: starts runs of an assistant on the thread that is shown, and follows them. */
export class RunSession {
  readonly thread: ThreadView;
  readonly queue: RunQueue;
  readonly #options: RunSessionOptions;
  readonly #follower: RunFollower;
  readonly #tasks = new TaskEvents();
  readonly #breakpoints = new Breakpoints();
  #assistantId: string;
  #opened: Promise<Session> | undefined;
  #isAwaitingSchemas = false;

  constructor(options: RunSessionOptions) {
    const { threadId, journal, feedback, onError } = options;
    this.#options = options;
    this.#assistantId = options.assistantId;
    this.#follower = new RunFollower({
      journal,
      feedback,
      tasks: this.#tasks,
      clock: options.clock,
      onError,
      onEnd: (mark) => this.thread.runEnded(mark),
      onUndone: () => void this.thread.withoutRefresh(() => this.thread.show()).catch(onError),
    });
    this.thread = new ThreadView({
      threadId,
      journal,
      feedback,
      follower: this.#follower,
      client: () => this.#requireClient(),
      onReset: () => {
        this.#tasks.clear();
        this.queue.forget();
        this.refreshQueue();
      },
      onJoin: () => this.refreshQueue(),
      onError,
    });
    this.queue = new RunQueue({
      client: () => this.#requireClient(),
      threadId: () => this.thread.threadId,
      followed: () => this.#follower.runId,
      journal,
    });
  }

  get assistantId(): string {
    return this.#assistantId;
  }

  get signal(): AbortSignal {
    return this.#follower.signal;
  }

  /**
   * Reads the assistant, shows the contents of the thread, and joins the current run. Later calls return the
   * same session.
   */
  open(): Promise<Session> {
    this.#opened ??= this.thread
      .withoutRefresh(() => this.#open())
      .catch((error) => {
        this.#opened = undefined;
        throw error;
      });
    return this.#opened;
  }

  /** Reads the assistant again, without showing the contents of the thread. */
  async read(): Promise<Session> {
    const assistantId = this.#assistantId;
    const session = await this.#read();
    // If another assistant was chosen in the meantime, that one is opened.
    if (assistantId !== this.#assistantId) return this.open();
    this.#opened = Promise.resolve(session);
    return session;
  }

  /**
   * Switches to another assistant.
   * @param keepsThread whether it has the same graph, because a thread belongs to one graph
   */
  changeAssistant(assistantId: string, keepsThread: boolean): Promise<Session> {
    this.#follower.refuseWhileFollowing();
    this.#assistantId = assistantId;
    this.thread.select(keepsThread ? this.thread.threadId : undefined);
    this.#opened = undefined;
    return this.open();
  }

  /** Switches to another thread, or to none. */
  async changeThread(threadId: string | undefined): Promise<void> {
    this.#follower.refuseWhileFollowing();
    this.thread.select(threadId);
    await this.thread.checkout(undefined);
  }

  /**
   * Starts a run from the checkpoint that is shown and follows it, or queues it behind the one that is
   * followed; returns when the server has accepted it.
   * @throws RequestError
   */
  start(request: RunRequest, options: RunOptions): Promise<void> {
    return this.thread.withoutRefresh(() => this.#start(request, options));
  }

  /** Sends the panel the queue, in the background; errors go to `onError`. */
  refreshQueue(): void {
    void this.queue.refresh().catch((error) => {
      if (!this.signal.aborted) this.#options.onError(error);
    });
  }

  /** The supersteps that led to the shown state, back to the start of the thread's history. */
  async readPastSteps(): Promise<readonly PastStep[]> {
    return pastSteps(await this.thread.readStates(), this.thread.checkpointId);
  }

  /** The state of the graph that a tool call has run; `undefined` when there is none. */
  async readSubagent(callId: string): Promise<unknown> {
    const { threadId } = this.thread;
    if (threadId === undefined) return undefined;
    const states = await this.thread.readStates();
    return readSubagent(await this.#requireClient(), threadId, states, callId);
  }

  /** A node's most recent input and output, in this panel or from the thread's history. */
  async readNodeDetails(node: string): Promise<NodeDetails | undefined> {
    const past = pastDetails(await this.thread.readStates(), this.thread.checkpointId, node);
    const last = this.#tasks.last(node);
    if (last === undefined || past === undefined) return last ?? past;
    const { state, nextInput } = past;
    // During a run, the next node may already be running.
    const isStopped = nextInput !== undefined && !this.#follower.isFollowing;
    return { ...last, state, ...(isStopped && { nextInput }) };
  }

  /** How the value of a key of the state changed, up to the state that is shown. */
  async readValueHistory(key: string): Promise<ValueHistory> {
    const { graph_id } = await this.open();
    const client = await this.#requireClient();
    const [states, reducers] = await Promise.all([
      this.thread.readStates(),
      // Other platforms do not report reducers.
      client.nodes.reducers({ params: { graph_id } }).catch(() => undefined),
    ]);
    return valueHistory(states, this.thread.checkpointId, key, reducers);
  }

  /** The graph with its subgraphs expanded. @throws RequestError, for example if it cannot be drawn */
  async drawUnfolded(): Promise<Diagram> {
    const client = await this.#requireClient();
    const diagram = await client.assistants.graph({
      params: { assistant_id: this.#assistantId },
      query: { xray: true },
    });
    return toDiagram(diagram);
  }

  /** Waits for the end of the run that is followed, if there is one. */
  waitForEnd(): Promise<void> {
    return this.#follower.ended;
  }

  async cancel(): Promise<void> {
    await this.#follower.cancel();
  }

  /** Stops following; the run continues. */
  dispose(): void {
    this.#follower.dispose();
    this.thread.dispose();
    this.#options.journal.dispose();
  }

  async #requireClient(): Promise<Client> {
    return (await this.#options.deployment()).client;
  }

  async #start(request: RunRequest, options: RunOptions): Promise<void> {
    if (this.#follower.isFollowing) return this.#enqueue(request, options);
    const client = await this.#requireClient();
    const { checkpointId } = this.thread;
    const threadId = await this.thread.ensureThread();
    if ('input' in request) this.#breakpoints.begin();
    const stream = await this.#stream(client, { threadId, request, options, checkpointId });
    this.thread.returnToLatest();
    this.#follower.follow(stream, client, {
      threadId,
      request,
      showsTasks: options.stream_modes.includes('tasks'),
      onStop: (state, runId) => this.#passStop(client, { state, runId, threadId, options }),
    });
  }

  async #enqueue(request: RunRequest, options: RunOptions): Promise<void> {
    // Only input can wait: the state to which an answer or a continuation refers would be gone.
    if (!('input' in request)) this.#follower.refuseWhileFollowing();
    const threadId = await this.thread.ensureThread();
    const body = this.#bodyOf({ threadId, request, options, checkpointId: undefined });
    const { multitask_strategy = 'enqueue' } = options;
    if (multitask_strategy === 'reject') this.#follower.refuseWhileFollowing();
    await this.queue.add(
      body,
      multitask_strategy === 'interrupt' || multitask_strategy === 'rollback'
        ? multitask_strategy
        : undefined,
    );
  }

  #stream(client: Client, asked: RunToStart): Promise<RunStream> {
    return client.runs.stream(
      {
        params: { thread_id: asked.threadId },
        // Another client may have begun a run that is not shown yet.
        body: { multitask_strategy: 'reject', ...this.#bodyOf(asked) },
      },
      this.#follower.streamOptions,
    );
  }

  #bodyOf({ threadId, request, options, checkpointId }: RunToStart): RunBody {
    const { feedback_keys = this.#options.feedbackKeys(), interrupt_before, interrupt_after } = options;
    const maxCost = this.#options.maxCost();
    return {
      assistant_id: this.#assistantId,
      ...bodyOf(request),
      ...(checkpointId !== undefined && {
        checkpoint: { thread_id: threadId, checkpoint_ns: '', checkpoint_id: checkpointId },
      }),
      ...(options.context !== undefined && { context: options.context }),
      ...(interrupt_before.length > 0 && { interrupt_before }),
      ...(interrupt_after.length > 0 && { interrupt_after }),
      // The diagram needs the events of tasks.
      stream_mode: [...new Set([...options.stream_modes, 'tasks' as const])],
      stream_subgraphs: true,
      stream_resumable: true,
      feedback_keys: [...feedback_keys],
      ...(maxCost !== undefined && { max_cost: maxCost }),
      ...settingsOf(options),
    };
  }

  /**
   * Continues from a stop that no breakpoint keeps, and reports the messages of logpoints.
   * @returns the stream of the run that continues; undefined if the stop is kept
   */
  async #passStop(
    client: Client,
    { state, runId, threadId, options }: StoppedRun,
  ): Promise<RunStream | undefined> {
    const { breakpoints = [], interrupt_after } = options;
    if (breakpoints.length === 0) return undefined;
    const parent = interrupt_after.length > 0 ? parentIdOf(state) : undefined;
    const before = parent === undefined ? undefined : await readStateAt(client, threadId, parent);
    const { next, values } = state;
    const decision = this.#breakpoints.decide(options, { state: values, next, ran: before?.next ?? [] });
    for (const note of decision.notes) {
      this.#options.journal.add({ type: 'breakpoint', ...note });
      if (note.kind === 'log') await this.#log(note.text, runId, threadId);
    }
    if (decision.isKept) return undefined;
    return this.#stream(client, { threadId, request: { proceed: true }, options, checkpointId: undefined });
  }

  async #log(message: string, run_id: string, thread_id: string): Promise<void> {
    const { writeLog, onError } = this.#options;
    // The panel shows the message in any case.
    await writeLog({ run_id, thread_id, message }).catch(onError);
  }

  async #open(): Promise<Session> {
    const session = await this.#read();
    await this.thread.show();
    return session;
  }

  async #read(): Promise<Session> {
    const { deployment, feedbackKeys } = this.#options;
    const { client, name, place, isProduction, isLive } = await deployment();
    const params = { assistant_id: this.#assistantId };
    const [assistant, schemas, diagram] = await Promise.all([
      client.assistants.get({ params }),
      // A graph that cannot be loaded has no schemas, so its input is JSON. A server that is slow may still
      // send them.
      client.assistants.schemas({ params }).catch((error) => (isRefusal(error) ? undefined : 'late')),
      // Not every graph can be drawn.
      client.assistants.graph({ params }).catch(() => undefined),
    ]);
    if (schemas === 'late') void this.#awaitSchemas(client, params.assistant_id);
    const known = schemas === 'late' ? undefined : schemas;
    return {
      assistant_id: assistant.assistant_id,
      assistant: assistant.name,
      graph_id: assistant.graph_id,
      deployment: name,
      place,
      is_production: isProduction,
      is_live: isLive,
      schema: known?.input_schema ?? undefined,
      is_schema_late: schemas === 'late',
      context_schema: known?.context_schema ?? undefined,
      context: assistant.context,
      diagram: diagram && toDiagram(diagram),
      stream_modes: ALL_STREAM_MODES,
      feedback_keys: feedbackKeys(),
      ...inputShapeOf(known?.input_schema),
    };
  }

  /** Asks for schemas that are late until the server answers, and reports that they can be read. */
  async #awaitSchemas(client: Client, assistant_id: string): Promise<void> {
    if (this.#isAwaitingSchemas) return;
    this.#isAwaitingSchemas = true;
    const { signal } = this;
    const { schemaRetryMs: ms = SCHEMA_RETRY_MS, onSchemas } = this.#options;
    for (let isAnswered = false; !isAnswered && !signal.aborted; ) {
      await pause(ms, { signal, ref: false });
      isAnswered = await client.assistants
        .schemas({ params: { assistant_id } }, { signal })
        .then(() => true, isRefusal);
    }
    this.#isAwaitingSchemas = false;
    if (!signal.aborted) onSchemas();
  }
}

/** Whether a server answered, but refused the request. */
function isRefusal(error: unknown): boolean {
  return error instanceof RequestError && isAnswer(error);
}
