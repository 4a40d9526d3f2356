import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import { isNotFound } from '../../../client/request-error.ts';
import type { RunStream } from '../../../client/run-stream.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { messageOf } from '../../../process/message-of.ts';
import type { RunOutcome } from '../../../terms/run-outcome.ts';
import { outcomeOf, pauseOf } from '../../../terms/run-outcome.ts';
import { checkpointIdOf } from '../../states/checkpoint-ids.ts';
import type { FeedbackLinks } from './feedback-links.ts';
import type { Journal } from './journal.ts';
import { DEFAULT_STREAM_MODES } from './messages.ts';
import type { RunRequest } from './run-request.ts';
import { sendCost } from './run-trace.ts';
import type { TaskEvents } from './task-events.ts';
import type { ThreadMark } from './thread-reading.ts';

interface RunFollowerOptions {
  readonly journal: Journal;
  readonly feedback: FeedbackLinks;
  readonly tasks: TaskEvents;
  /** The clock of the panel, which a debugger may stop. */
  readonly clock: PanelClock;
  /** Called with errors of background work. */
  readonly onError: (error: unknown) => void;
  /** Called when a run has ended, with the state of its thread, if it could be read. */
  readonly onEnd: (mark: ThreadMark | undefined) => void;
  /** Called when a run was undone, and the thread is as it was before the run. */
  readonly onUndone: () => void;
}

/** A clock that does not count the pauses of a debugger, and the sum of these pauses, in milliseconds. */
export interface PanelClock {
  now(): number;
  heldMs(): number;
}

interface FollowedRun {
  readonly client: Client;
  readonly threadId: string;
  readonly runId: string;
  /** When following began, in milliseconds of the panel's clock, which stops during pauses. */
  readonly startedAt: number;
  /** How long a debugger had paused the process by then, in milliseconds. */
  readonly heldBeforeMs: number;
  /** Whether the events of tasks are shown too. The diagram gets tasks in any case. */
  readonly showsTasks: boolean;
  readonly onStop?: StopHandler | undefined;
  /** Whether the run continues another one after a skipped stop. */
  readonly isContinued?: boolean;
}

/**
 * Called when a run has stopped with nodes still to run.
 * @returns the stream of the run that continues from there, if any
 */
type StopHandler = (state: ThreadState, runId: string) => Promise<RunStream | undefined>;

interface StartedRun {
  readonly threadId: string;
  readonly request: RunRequest;
  readonly showsTasks: boolean;
  readonly onStop: StopHandler;
}

/** Follows one run at a time into the journal of a panel, across lost connections, until it ends. */
export class RunFollower {
  readonly #options: RunFollowerOptions;
  readonly #closed = new AbortController();
  #run: FollowedRun | undefined;
  #ended = makeResolved();
  #isLost = false;
  /** Whether the user canceled the run, so that it must not continue after a skipped stop. */
  #isCanceled = false;

  constructor(options: RunFollowerOptions) {
    this.#options = options;
  }

  /** Resolves when no run is followed any longer. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get isFollowing(): boolean {
    return this.#run !== undefined;
  }

  get runId(): string | undefined {
    return this.#run?.runId;
  }

  /** Aborted when the follower is disposed of. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  /** The options for opening a stream to follow. */
  get streamOptions() {
    return { signal: this.#closed.signal, onRejoin: () => this.#setLost(true) };
  }

  /** @throws Error while a run is followed. */
  refuseWhileFollowing(): void {
    if (this.isFollowing)
      throw new Error(l10n.t('A run is still in progress. Cancel it, or wait until it ends.'));
  }

  /**
   * Follows a run that has just been started here. The stream names it, as
   * `docs/interface/agent-server.md#streams` requires.
   */
  follow(stream: RunStream, client: Client, { request, ...started }: StartedRun): void {
    this.#begin(stream, { client, runId: stream.runId ?? '', ...started }, request);
  }

  /**
   * Follows a run that was started earlier, or by another client, from its first event.
   * @param input of the run, if it is known
   */
  async join(client: Client, threadId: string, runId: string, input?: unknown): Promise<void> {
    const stream = await client.runs.joinStream(
      {
        params: { thread_id: threadId, run_id: runId },
        query: { stream_mode: [...DEFAULT_STREAM_MODES, 'tasks'] },
      },
      { ...this.streamOptions, headers: { 'last-event-id': '-1' } },
    );
    const request = input === undefined || input === null ? undefined : { input };
    this.#begin(stream, { client, threadId, runId, showsTasks: false }, request);
  }

  /** Cancels the run that is followed; its end arrives in its stream. */
  async cancel(): Promise<void> {
    if (this.#run === undefined) return;
    this.#isCanceled = true;
    const { client, threadId, runId } = this.#run;
    await client.runs.cancel({ params: { thread_id: threadId, run_id: runId } });
  }

  /** Stops following; the run continues. */
  dispose(): void {
    this.#closed.abort();
  }

  #begin(
    stream: RunStream,
    run: Omit<FollowedRun, 'startedAt' | 'heldBeforeMs'>,
    request?: RunRequest,
  ): void {
    const { clock } = this.#options;
    const followed = { ...run, startedAt: clock.now(), heldBeforeMs: clock.heldMs() };
    this.#run = followed;
    this.#isCanceled = false;
    this.#ended = Promise.withResolvers();
    const { runId, threadId } = run;
    this.#options.journal.add({ type: 'run-started', run_id: runId, thread_id: threadId, ...request });
    void this.#play(stream, followed);
  }

  async #play(stream: RunStream, run: FollowedRun): Promise<void> {
    const { journal, clock, onError, onEnd } = this.#options;
    const { client, runId, startedAt, heldBeforeMs, onStop } = run;
    const thread_id = stream.threadId ?? run.threadId;
    let outcome: RunOutcome = 'unknown';
    let next: readonly string[] | undefined;
    let mark: ThreadMark | undefined;
    try {
      await this.#playEvents(stream, run);
      const [ended, state] = await Promise.all([
        client.runs.get({ params: { thread_id, run_id: runId } }),
        // The state may be unreadable, for example because the run has deleted its thread.
        client.threads.getState({ params: { thread_id } }).catch(() => undefined),
      ]);
      outcome = outcomeOf(ended, state);
      next = state?.next;
      const isStopped = state !== undefined && pauseOf(state).kind === 'stopped';
      const onward =
        isStopped && outcome === 'success' && !this.#isCanceled ? await onStop?.(state, runId) : undefined;
      if (onward !== undefined && !this.#closed.signal.aborted) {
        this.#followOn(onward, run);
        return;
      }
      mark = state && { checkpointId: checkpointIdOf(state), runId };
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      if (isNotFound(error)) {
        this.#run = undefined;
        this.#ended.resolve();
        this.#options.onUndone();
        return;
      }
      onError(error);
      const message = messageOf(error);
      journal.addEvent(runId, {
        event: 'error',
        data: { error: l10n.t('Lost connection to the run'), message },
      });
    }
    if (this.#closed.signal.aborted) return;
    this.#run = undefined;
    this.#ended.resolve();
    const paused_ms = clock.heldMs() - heldBeforeMs;
    const duration_ms = clock.now() - startedAt + paused_ms;
    journal.add({ type: 'run-ended', run_id: runId, outcome, duration_ms, paused_ms, next });
    // After a skipped stop, the trace covers only one of the runs that are shown as one.
    if (run.isContinued !== true) void sendCost(client, runId, { journal, signal: this.#closed.signal });
    onEnd(mark);
  }

  #followOn(stream: RunStream, run: FollowedRun): void {
    const onward = { ...run, runId: stream.runId ?? '', isContinued: true };
    this.#run = onward;
    this.#options.journal.add({ type: 'run-continued', run_id: onward.runId });
    // The user may have canceled between the two runs.
    if (this.#isCanceled) void this.cancel().catch(this.#options.onError);
    void this.#play(stream, onward);
  }

  async #playEvents(stream: RunStream, { runId, showsTasks }: FollowedRun): Promise<void> {
    const { journal, feedback, tasks, clock } = this.#options;
    for await (const event of stream) {
      if (this.#isLost) this.#setLost(false);
      if (event.kind === 'feedback') feedback.offer(runId, event.data, journal);
      else if (event.kind === 'metadata') {
        const { cost_warning: text } = event.data;
        if (text !== undefined) journal.add({ type: 'cost-warning', run_id: runId, text });
      } else if (event.kind !== 'end') {
        const task = tasks.read(runId, event, clock.now());
        if (task !== undefined) journal.add(task);
        if (showsTasks || !event.event.startsWith('tasks'))
          journal.addEvent(runId, { event: event.event, data: event.data });
      }
    }
  }

  #setLost(isLost: boolean): void {
    this.#isLost = isLost;
    this.#options.journal.add({ type: 'connection', state: isLost ? 'lost' : 'back' });
  }
}

function makeResolved(): PromiseWithResolvers<void> {
  const made = Promise.withResolvers<void>();
  made.resolve();
  return made;
}
