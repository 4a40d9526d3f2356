import type { Client } from '../../../client/client.ts';
import type { RunStream } from '../../../client/run-stream.ts';
import type { Run } from '../../../contract/agent-server/runs.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { isNotFound } from '../../errors.ts';
import type { FeedbackLinks } from './feedback-links.ts';
import type { Journal } from './journal.ts';
import type { Interrupt, RunOutcome, Session } from './messages.ts';
import { inputShapeOf } from './run-input.ts';

/** The deployment that a session runs on, opened when it is first needed. */
export interface SessionDeployment {
  readonly name: string;
  /** A client of its agent server. */
  readonly client: Client;
}

export interface RunSessionOptions {
  readonly assistantId: string;
  readonly threadId: string | undefined;
  readonly journal: Journal;
  readonly feedback: FeedbackLinks;
  readonly feedbackKeys: () => readonly string[];
  readonly deployment: () => Promise<SessionDeployment>;
  /** For what goes wrong while nobody waits for an answer. */
  readonly onError: (error: unknown) => void;
}

interface EndedRun {
  readonly status?: Run['status'] | undefined;
  readonly created_at?: string | undefined;
  readonly updated_at?: string | undefined;
}

const streamModes = ['values', 'messages-tuple', 'updates', 'custom'] as const;

/** One panel's work: an assistant on a thread, its runs followed into the journal. */
export class RunSession {
  readonly #options: RunSessionOptions;
  readonly #closed = new AbortController();
  #threadId: string | undefined;
  #run: { readonly runId: string; readonly startedAt: number; wasCancelled: boolean } | undefined;
  #opened: Promise<Session> | undefined;

  constructor(options: RunSessionOptions) {
    this.#options = options;
    this.#threadId = options.threadId;
  }

  get threadId(): string | undefined {
    return this.#threadId;
  }

  /** Gets the assistant and what its thread holds, and joins the run that is still going; once. */
  open(): Promise<Session> {
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /**
   * Starts a run and follows it; returns when the server has accepted it.
   * @throws RequestError
   */
  async start(request: { readonly input: unknown } | { readonly resume: unknown }): Promise<void> {
    const { client } = await this.#options.deployment();
    const { assistantId, feedbackKeys, journal } = this.#options;
    const isNew = this.#threadId === undefined;
    this.#threadId ??= (await client.threads.create({ body: {} })).thread_id;
    const threadId = this.#threadId;
    const stream = await client.runs.stream(
      {
        params: { thread_id: threadId },
        body: {
          assistant_id: assistantId,
          ...('resume' in request ? { command: { resume: request.resume } } : { input: request.input }),
          stream_mode: [...streamModes],
          stream_subgraphs: true,
          stream_resumable: true,
          feedback_keys: [...feedbackKeys()],
          // Two runs at once on one thread are never what a person at the panel means.
          multitask_strategy: 'reject',
        },
      },
      this.#streamOptions(),
    );
    const runId = stream.runId ?? '';
    if (isNew) journal.add({ type: 'reset', thread_id: threadId });
    this.#run = { runId, startedAt: performance.now(), wasCancelled: false };
    journal.add({ type: 'run-started', run_id: runId, thread_id: threadId, ...request });
    void this.#follow(stream, client, runId);
  }

  async cancel(): Promise<void> {
    if (this.#run === undefined || this.#threadId === undefined) return;
    this.#run.wasCancelled = true;
    const { client } = await this.#options.deployment();
    await client.runs.cancel({ params: { thread_id: this.#threadId, run_id: this.#run.runId } });
  }

  /** Leaves the thread; the next run makes a new one. */
  newThread(): void {
    this.#threadId = undefined;
    this.#options.journal.add({ type: 'reset', thread_id: undefined });
  }

  /** Stops following; the run goes on. */
  dispose(): void {
    this.#closed.abort();
    this.#options.journal.dispose();
  }

  async #open(): Promise<Session> {
    const { assistantId, journal } = this.#options;
    const { client, name } = await this.#options.deployment();
    const [assistant, schemas] = await Promise.all([
      client.assistants.get({ params: { assistant_id: assistantId } }),
      // Not every graph can tell; then its input is JSON.
      client.assistants.schemas({ params: { assistant_id: assistantId } }).catch(() => undefined),
    ]);
    journal.add({ type: 'reset', thread_id: this.#threadId });
    if (this.#threadId !== undefined) await this.#showThread(client, this.#threadId);
    return {
      assistant: assistant.name,
      graph_id: assistant.graph_id,
      deployment: name,
      thread_id: this.#threadId,
      ...inputShapeOf(schemas?.input_schema),
    };
  }

  async #showThread(client: Client, threadId: string): Promise<void> {
    const params = { thread_id: threadId };
    let state: ThreadState;
    try {
      state = await client.threads.getState({ params });
    } catch (error) {
      // A thread that was deleted meanwhile: the panel begins anew.
      if (!isNotFound(error)) throw error;
      this.newThread();
      return;
    }
    const [last] = await client.runs.list({ params, query: { limit: 1 } });
    const isGoing = last?.status === 'pending' || last?.status === 'running';
    const interrupts = isGoing ? [] : interruptsOf(state);
    this.#options.journal.add({ type: 'history', values: state.values, interrupts });
    if (last?.run_id === undefined) return;
    if (isGoing) await this.#join(client, threadId, last.run_id);
    else await this.#showEnd(last.run_id, last, interrupts.length > 0);
  }

  /** Follows a run that somebody has started earlier, from its first event. */
  async #join(client: Client, threadId: string, runId: string): Promise<void> {
    const stream = await client.runs.joinStream(
      { params: { thread_id: threadId, run_id: runId }, query: { stream_mode: [...streamModes] } },
      { ...this.#streamOptions(), headers: { 'last-event-id': '-1' } },
    );
    this.#run = { runId, startedAt: performance.now(), wasCancelled: false };
    this.#options.journal.add({ type: 'run-started', run_id: runId, thread_id: threadId });
    void this.#follow(stream, client, runId);
  }

  async #showEnd(runId: string, run: EndedRun, waits: boolean): Promise<void> {
    const { journal, feedback } = this.#options;
    const duration = Date.parse(run.updated_at ?? '') - Date.parse(run.created_at ?? '');
    journal.add({
      type: 'run-ended',
      run_id: runId,
      outcome: outcomeOf(run, waits ? 'interrupted' : 'cancelled'),
      duration_ms: Number.isNaN(duration) ? undefined : duration,
    });
    await feedback.recall(runId, journal);
  }

  async #follow(stream: RunStream, client: Client, runId: string): Promise<void> {
    const { journal, feedback, onError } = this.#options;
    let outcome: RunOutcome = 'unknown';
    try {
      for await (const event of stream) {
        if (this.#isLost) this.#setLost(false);
        if (event.kind === 'feedback') feedback.offer(runId, event.data, journal);
        else if (event.kind !== 'metadata' && event.kind !== 'end') {
          journal.addEvent(runId, { event: event.event, data: event.data });
        }
      }
      const run = await client.runs.get({
        params: { thread_id: stream.threadId ?? this.#threadId ?? '', run_id: runId },
      });
      outcome = outcomeOf(run, this.#run?.wasCancelled ? 'cancelled' : 'interrupted');
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      onError(error);
      const message = error instanceof Error ? error.message : String(error);
      journal.addEvent(runId, { event: 'error', data: { error: 'Lost sight of the run', message } });
    }
    if (this.#closed.signal.aborted) return;
    const startedAt = this.#run?.startedAt;
    this.#run = undefined;
    journal.add({
      type: 'run-ended',
      run_id: runId,
      outcome,
      duration_ms: startedAt === undefined ? undefined : performance.now() - startedAt,
    });
  }

  #isLost = false;

  #setLost(isLost: boolean): void {
    this.#isLost = isLost;
    this.#options.journal.add({ type: 'connection', state: isLost ? 'lost' : 'back' });
  }

  #streamOptions() {
    return { signal: this.#closed.signal, onRejoin: () => this.#setLost(true) };
  }
}

/** @param interrupted what the status `interrupted` means: paused by the graph, or cancelled by a person. */
function outcomeOf({ status }: EndedRun, interrupted: 'interrupted' | 'cancelled'): RunOutcome {
  switch (status) {
    case 'success':
    case 'error':
    case 'timeout':
      return status;
    case 'interrupted':
      return interrupted;
    default:
      return 'unknown';
  }
}

function interruptsOf(state: ThreadState): Interrupt[] {
  return state.tasks.flatMap(({ interrupts }) => (interrupts ?? []).map(({ id, value }) => ({ id, value })));
}
