import type { Client } from '../../../client/client.ts';
import type { RunStream } from '../../../client/run-stream.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { changedValues } from '../../states/changed-values.ts';
import { stateAt } from '../../states/state-at.ts';
import { drawingOf } from './drawing.ts';
import type { FeedbackLinks } from './feedback-links.ts';
import type { Journal } from './journal.ts';
import type { History, RunOptions, RunOutcome, Session, StateEdit } from './messages.ts';
import { allStreamModes, usualStreamModes } from './messages.ts';
import { recallAnswers } from './recall-answers.ts';
import { Refresher } from './refresher.ts';
import { inputShapeOf } from './run-input.ts';
import { type EndedRun, outcomeOf } from './run-outcome.ts';
import { bodyOf, type RunRequest } from './run-request.ts';
import { taskEntryOf } from './task-events.ts';
import { historyOf, markOf, readThread, type ThreadMark, type ThreadReading } from './thread-reading.ts';
import { checkpointBefore, checkpointIdOf, turnsOf } from './turns.ts';

/** The deployment that a session runs on, opened when it is first needed. */
export interface SessionDeployment {
  readonly name: string;
  /** The same with its platform, in words. */
  readonly place: string;
  readonly isProduction: boolean;
  /** A client of its agent server. */
  readonly client: Client;
}

export interface RunSessionOptions {
  readonly assistantId: string;
  readonly threadId: string | undefined;
  readonly journal: Journal;
  readonly feedback: FeedbackLinks;
  /** Those that are asked for when the panel names none. */
  readonly feedbackKeys: () => readonly string[];
  readonly deployment: () => Promise<SessionDeployment>;
  /** For what goes wrong while nobody waits for an answer. */
  readonly onError: (error: unknown) => void;
}

/** More states of a thread are not looked through. */
const MAX_STATES = 1000;

/** One panel's work: an assistant on a thread, its runs followed into the journal. */
export class RunSession {
  readonly #options: RunSessionOptions;
  readonly #closed = new AbortController();
  readonly #refresher: Refresher;
  #assistantId: string;
  #threadId: string | undefined;
  /** The checkpoint that is shown; the newest without. */
  #checkpointId: string | undefined;
  #run: { readonly runId: string; readonly startedAt: number } | undefined;
  #opened: Promise<Session> | undefined;
  #isLost = false;
  /** What the thread held when it was shown last. */
  #shown: ThreadMark | undefined;

  constructor(options: RunSessionOptions) {
    this.#options = options;
    this.#assistantId = options.assistantId;
    this.#threadId = options.threadId;
    this.#refresher = new Refresher({
      isFree: () => this.#run === undefined && this.#checkpointId === undefined,
      refresh: () => this.#refresh(),
      onError: options.onError,
    });
  }

  get threadId(): string | undefined {
    return this.#threadId;
  }

  get checkpointId(): string | undefined {
    return this.#checkpointId;
  }

  get assistantId(): string {
    return this.#assistantId;
  }

  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  /** Gets the assistant and what its thread holds, and joins the run that is still going; once. */
  open(): Promise<Session> {
    this.#opened ??= this.#refresher
      .keepAwayFrom(() => this.#open())
      .catch((error) => {
        this.#opened = undefined;
        throw error;
      });
    return this.#opened;
  }

  /** Goes over to another assistant; a thread stays with its graph. */
  changeAssistant(assistantId: string, keepsThread: boolean): Promise<Session> {
    this.#refuseWhileRunning();
    this.#assistantId = assistantId;
    if (!keepsThread) this.#threadId = undefined;
    this.#checkpointId = undefined;
    this.#opened = undefined;
    return this.open();
  }

  /** Goes over to another thread, or to none yet. */
  async changeThread(threadId: string | undefined): Promise<void> {
    this.#refuseWhileRunning();
    this.#threadId = threadId;
    await this.checkout(undefined);
  }

  /**
   * Starts a run from the checkpoint that is shown and follows it; returns when the server has accepted it.
   * @throws RequestError
   */
  start(request: RunRequest, options: RunOptions): Promise<void> {
    return this.#refresher.keepAwayFrom(() => this.#start(request, options));
  }

  async #start(request: RunRequest, options: RunOptions): Promise<void> {
    const { client } = await this.#options.deployment();
    const { feedbackKeys, journal } = this.#options;
    const isNew = this.#threadId === undefined;
    this.#threadId ??= (await client.threads.create({ body: {} })).thread_id;
    const threadId = this.#threadId;
    const { interrupt_before, interrupt_after, feedback_keys = feedbackKeys() } = options;
    const stream = await client.runs.stream(
      {
        params: { thread_id: threadId },
        body: {
          assistant_id: this.#assistantId,
          ...bodyOf(request),
          ...(this.#checkpointId !== undefined && {
            checkpoint: { thread_id: threadId, checkpoint_ns: '', checkpoint_id: this.#checkpointId },
          }),
          ...(options.context !== undefined && { context: options.context }),
          ...(interrupt_before.length > 0 && { interrupt_before }),
          ...(interrupt_after.length > 0 && { interrupt_after }),
          // The graph's drawing is lit by the tasks.
          stream_mode: [...new Set([...options.stream_modes, 'tasks' as const])],
          stream_subgraphs: true,
          stream_resumable: true,
          feedback_keys: [...feedback_keys],
          // Two runs at once on one thread are never what a person at the panel means.
          multitask_strategy: 'reject',
        },
      },
      this.#streamOptions(),
    );
    const runId = stream.runId ?? '';
    if (isNew) journal.add({ type: 'reset', thread_id: threadId });
    // What comes now is the newest.
    this.#checkpointId = undefined;
    this.#run = { runId, startedAt: performance.now() };
    journal.add({ type: 'run-started', run_id: runId, thread_id: threadId, ...request });
    void this.#follow(stream, client, runId, options.stream_modes.includes('tasks'));
  }

  async cancel(): Promise<void> {
    if (this.#run === undefined || this.#threadId === undefined) return;
    const { client } = await this.#options.deployment();
    await client.runs.cancel({ params: { thread_id: this.#threadId, run_id: this.#run.runId } });
  }

  /** Leaves the thread; the next run makes a new one. */
  newThread(): void {
    this.#threadId = undefined;
    this.#checkpointId = undefined;
    this.#shown = undefined;
    this.#options.journal.add({ type: 'reset', thread_id: undefined });
  }

  /** The states that the thread has gone through. */
  async history(): Promise<History> {
    const states = await this.#states();
    return {
      turns: turnsOf(states),
      current: this.#checkpointId ?? (states[0] && checkpointIdOf(states[0])),
    };
  }

  /** Shows the thread as it is at a checkpoint, or at its newest. */
  async checkout(checkpointId: string | undefined): Promise<void> {
    this.#refuseWhileRunning();
    this.#checkpointId = checkpointId;
    await this.#refresher.keepAwayFrom(async () => {
      this.#options.journal.add({ type: 'reset', thread_id: this.#threadId });
      const { client } = await this.#options.deployment();
      if (this.#threadId !== undefined) await this.#showThread(client, this.#threadId);
    });
  }

  /**
   * Somebody may have changed the thread: shows what it holds now, unless a run is going or an earlier state is shown.
   * Then it is looked at afterwards.
   */
  refresh(): void {
    this.#refresher.want();
  }

  /**
   * Shows the thread as it was before a message came.
   * @throws Error when no state of the thread has the message.
   */
  async checkoutBefore(messageId: string): Promise<void> {
    const found = checkpointBefore(await this.#states(), this.#checkpointId, messageId);
    if (found === undefined) throw new Error('The thread has no state from before this message.');
    await this.checkout(found);
  }

  /** The state at a checkpoint, or at the one that is shown. */
  async state(checkpointId = this.#checkpointId): Promise<ThreadState> {
    if (this.#threadId === undefined) throw new Error('There is no thread yet.');
    const { client } = await this.#options.deployment();
    return stateAt(client, this.#threadId, checkpointId);
  }

  /**
   * Writes what has been changed in a state, which makes a new checkpoint, and shows it.
   * @throws RequestError, for one when it is not clear which node wrote last.
   */
  async update({ values, as_node, checkpoint_id, read }: StateEdit): Promise<void> {
    this.#refuseWhileRunning();
    const thread_id = this.#threadId;
    if (thread_id === undefined) throw new Error('There is no thread yet.');
    await this.#refresher.keepAwayFrom(async () => {
      const { client } = await this.#options.deployment();
      const at = checkpoint_id ?? this.#checkpointId;
      // The newest state may be another one by now: what others have changed since stays as they left it.
      const before = await stateAt(client, thread_id, read ?? at);
      await client.threads.updateState({
        params: { thread_id },
        body: {
          values: changedValues(before.values, values),
          ...(as_node !== undefined && { as_node }),
          ...(at !== undefined && { checkpoint: { thread_id, checkpoint_ns: '', checkpoint_id: at } }),
        },
      });
      await this.checkout(undefined);
    });
  }

  /** Stops following; the run goes on. */
  dispose(): void {
    this.#closed.abort();
    this.#refresher.close();
    this.#options.journal.dispose();
  }

  async #states(): Promise<readonly ThreadState[]> {
    if (this.#threadId === undefined) return [];
    const { client } = await this.#options.deployment();
    return client.threads.history({ params: { thread_id: this.#threadId }, body: { limit: MAX_STATES } });
  }

  #refuseWhileRunning(): void {
    if (this.#run !== undefined)
      throw new Error('A run is still in progress. Cancel it, or wait until it ends.');
  }

  async #open(): Promise<Session> {
    const { journal, feedbackKeys } = this.#options;
    const { client, name, place, isProduction } = await this.#options.deployment();
    const params = { assistant_id: this.#assistantId };
    const [assistant, schemas, drawing] = await Promise.all([
      client.assistants.get({ params }),
      // Not every graph can tell; then its input is JSON, and there is no drawing.
      client.assistants.schemas({ params }).catch(() => undefined),
      client.assistants.graph({ params }).catch(() => undefined),
    ]);
    journal.add({ type: 'reset', thread_id: this.#threadId });
    if (this.#threadId !== undefined) await this.#showThread(client, this.#threadId);
    return {
      assistant_id: assistant.assistant_id,
      assistant: assistant.name,
      graph_id: assistant.graph_id,
      deployment: name,
      place,
      is_production: isProduction,
      schema: schemas?.input_schema ?? undefined,
      context_schema: schemas?.context_schema ?? undefined,
      context: assistant.context,
      drawing: drawing && drawingOf(drawing),
      stream_modes: allStreamModes,
      feedback_keys: feedbackKeys(),
      ...inputShapeOf(schemas?.input_schema),
    };
  }

  async #showThread(client: Client, threadId: string): Promise<void> {
    const reading = await readThread(client, threadId, this.#checkpointId);
    // A thread that was deleted meanwhile: the panel begins anew.
    if (reading === undefined) this.newThread();
    else await this.#show(client, threadId, reading);
  }

  async #show(client: Client, threadId: string, reading: ThreadReading): Promise<void> {
    const { state, last, isGoing } = reading;
    const { journal } = this.#options;
    this.#shown = markOf(reading);
    journal.add(historyOf(reading, this.#checkpointId));
    if (last?.run_id === undefined) return;
    if (isGoing) return this.#join(client, threadId, last.run_id);
    await recallAnswers(reading, { client, threadId, journal, signal: this.signal });
    await this.#showEnd(last.run_id, last, state);
  }

  async #refresh(): Promise<void> {
    const threadId = this.#threadId;
    const shown = this.#shown;
    const { client } = await this.#options.deployment();
    if (threadId === undefined) return;
    const reading = await readThread(client, threadId, undefined);
    // What was begun here meanwhile shows by itself what it finds.
    if (!this.#refresher.isFree || this.#shown !== shown || this.#threadId !== threadId) return;
    if (reading === undefined) {
      this.newThread();
      return;
    }
    const { checkpointId, runId } = markOf(reading);
    if (checkpointId === shown?.checkpointId && runId === shown?.runId) return;
    await this.#refresher.keepAwayFrom(async () => {
      this.#options.journal.add({ type: 'reset', thread_id: threadId });
      await this.#show(client, threadId, reading);
    });
  }

  /** Follows a run that somebody has started earlier, from its first event. */
  async #join(client: Client, threadId: string, runId: string): Promise<void> {
    const stream = await client.runs.joinStream(
      {
        params: { thread_id: threadId, run_id: runId },
        query: { stream_mode: [...usualStreamModes, 'tasks'] },
      },
      { ...this.#streamOptions(), headers: { 'last-event-id': '-1' } },
    );
    this.#run = { runId, startedAt: performance.now() };
    this.#options.journal.add({ type: 'run-started', run_id: runId, thread_id: threadId });
    void this.#follow(stream, client, runId, false);
  }

  async #showEnd(runId: string, run: EndedRun, state: ThreadState): Promise<void> {
    const { journal, feedback } = this.#options;
    const duration = Date.parse(run.updated_at ?? '') - Date.parse(run.created_at ?? '');
    journal.add({
      type: 'run-ended',
      run_id: runId,
      outcome: outcomeOf(run, state),
      duration_ms: Number.isNaN(duration) ? undefined : duration,
      next: state.next,
    });
    await feedback.recall(runId, journal);
  }

  async #follow(stream: RunStream, client: Client, runId: string, showsTasks: boolean): Promise<void> {
    const { journal, feedback, onError } = this.#options;
    const threadId = stream.threadId ?? this.#threadId ?? '';
    let outcome: RunOutcome = 'unknown';
    let next: readonly string[] | undefined;
    try {
      for await (const event of stream) {
        if (this.#isLost) this.#setLost(false);
        if (event.kind === 'feedback') feedback.offer(runId, event.data, journal);
        else if (event.kind !== 'metadata' && event.kind !== 'end') {
          const task = taskEntryOf(runId, event.event, event.data);
          if (task !== undefined) journal.add(task);
          if (showsTasks || !event.event.startsWith('tasks'))
            journal.addEvent(runId, { event: event.event, data: event.data });
        }
      }
      const [run, state] = await Promise.all([
        client.runs.get({ params: { thread_id: threadId, run_id: runId } }),
        client.threads.getState({ params: { thread_id: threadId } }).catch(() => undefined),
      ]);
      outcome = outcomeOf(run, state);
      next = state?.next;
      this.#shown = state && { checkpointId: checkpointIdOf(state), runId };
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      onError(error);
      const message = error instanceof Error ? error.message : String(error);
      journal.addEvent(runId, { event: 'error', data: { error: 'Lost connection to the run', message } });
    }
    if (this.#closed.signal.aborted) return;
    const startedAt = this.#run?.startedAt;
    this.#run = undefined;
    const duration_ms = startedAt === undefined ? undefined : performance.now() - startedAt;
    journal.add({ type: 'run-ended', run_id: runId, outcome, duration_ms, next });
    this.#refresher.look();
  }

  #setLost(isLost: boolean): void {
    this.#isLost = isLost;
    this.#options.journal.add({ type: 'connection', state: isLost ? 'lost' : 'back' });
  }

  #streamOptions() {
    return { signal: this.#closed.signal, onRejoin: () => this.#setLost(true) };
  }
}
