import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { changedValues } from '../../states/changed-values.ts';
import { checkpointIdOf } from '../../states/checkpoint-ids.ts';
import { readStateAt } from '../../states/state-at.ts';
import { checkpointBefore, entriesOf } from '../../states/thread-history.ts';
import type { FeedbackLinks } from './feedback-links.ts';
import type { Journal } from './journal.ts';
import type { History, StateEdit } from './messages.ts';
import { playThread } from './play-thread.ts';
import { Refresher } from './refresher.ts';
import type { RunFollower } from './run-follower.ts';
import {
  activeOf,
  findActive,
  isPending,
  type ListedRun,
  markOf,
  readThread,
  type ThreadMark,
  type ThreadReading,
} from './thread-reading.ts';
import { keysOf } from './value-history.ts';

interface ThreadViewOptions {
  /** The thread to begin with; none is created before the first run. */
  readonly threadId: string | undefined;
  readonly journal: Journal;
  readonly feedback: FeedbackLinks;
  readonly follower: RunFollower;
  /** A client of the agent server that has the thread. */
  readonly client: () => Promise<Client>;
  /** Called when the journal begins again. */
  readonly onReset: () => void;
  /** Called when a current run is joined. */
  readonly onJoin: () => void;
  /** Called with errors of background work. */
  readonly onError: (error: unknown) => void;
}

/** The maximum number of states of a thread that are searched. */
const MAX_STATES = 1000;
/** The maximum number of a thread's newest runs that are searched. */
const MAX_RUNS = 100;

/** The thread that a panel shows, now or at an earlier checkpoint, and the changes made in it. */
export class ThreadView {
  readonly #options: ThreadViewOptions;
  readonly #refresher: Refresher;
  #threadId: string | undefined;
  /** The checkpoint that is shown; if absent, the newest. */
  #checkpointId: string | undefined;
  /** The thread that the journal is about. */
  #journalThreadId: string | undefined;
  /** Identifies the contents of the thread that are shown. */
  #shown: ThreadMark | undefined;
  /** Aborted when something else is shown. */
  #shownUntil = new AbortController();

  constructor(options: ThreadViewOptions) {
    this.#options = options;
    this.#threadId = options.threadId;
    this.#refresher = new Refresher({
      isFree: () => !options.follower.isFollowing && this.#checkpointId === undefined,
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

  /** Selects the thread to show next, at its newest state. */
  select(threadId: string | undefined): void {
    this.#threadId = threadId;
    this.#checkpointId = undefined;
  }

  /** Leaves the thread; the next run creates a new one. */
  leave(): void {
    this.select(undefined);
    this.#shown = undefined;
    this.#reset();
  }

  /** Shows the contents of the thread, and joins its current run. */
  async show(): Promise<void> {
    this.#reset();
    const threadId = this.#threadId;
    const checkpointId = this.#checkpointId;
    const { signal } = this.#shownUntil;
    if (threadId === undefined) return;
    const client = await this.#options.client();
    const reading = await readThread(client, threadId, checkpointId);
    // If something else was selected in the meantime, that is shown.
    if (signal.aborted || threadId !== this.#threadId || checkpointId !== this.#checkpointId) return;
    // If the thread was deleted, the panel is reset.
    if (reading === undefined) this.leave();
    else await this.#play(client, threadId, reading);
  }

  /** The thread for a run, created if there is none yet. */
  async ensureThread(): Promise<string> {
    if (this.#threadId !== undefined) return this.#threadId;
    const client = await this.#options.client();
    const { thread_id } = await client.threads.create({ body: {} });
    this.#threadId = thread_id;
    return thread_id;
  }

  /** Returns to the newest state, because a run was started from the shown one. */
  returnToLatest(): void {
    if (this.#journalThreadId !== this.#threadId) this.#reset();
    this.#checkpointId = undefined;
  }

  /**
   * Notes that a run has ended with this state, and follows the next queued run without showing the thread
   * anew.
   */
  runEnded(mark: ThreadMark | undefined): void {
    this.#shown = mark;
    if (mark?.runId === undefined) {
      this.#refresher.refreshIfFree();
      return;
    }
    const { runId } = mark;
    void this.withoutRefresh(() => this.#joinNext(runId)).catch((error) => {
      if (!this.#options.follower.signal.aborted) this.#options.onError(error);
    });
  }

  /**
   * Follows the next run, or shows the thread again if other runs have ended in the meantime.
   * @param ended the run that has ended here
   */
  async #joinNext(ended: string): Promise<void> {
    const { follower } = this.#options;
    const threadId = this.#threadId;
    if (threadId === undefined || this.#checkpointId !== undefined) return;
    const client = await this.#options.client();
    const params = { thread_id: threadId };
    const runs = await client.runs.list({
      params,
      query: { limit: MAX_RUNS, select: ['run_id', 'status', 'updated_at'] },
    });
    if (follower.isFollowing || threadId !== this.#threadId) return;
    // Runs that began and ended in the meantime are only in the thread's state.
    if (endedAfter(runs, ended)) return this.show();
    // Older runs are searched only if the answer is full of pending runs, and may lack the next one.
    const next =
      runs.length === MAX_RUNS && runs.every(isPending) ? await findActive(client, threadId) : activeOf(runs);
    if (next?.run_id === undefined) return;
    const run = await client.runs.get({ params: { ...params, run_id: next.run_id } });
    if (!follower.isFollowing && threadId === this.#threadId)
      await this.#join(client, threadId, run.run_id, run.kwargs?.input);
  }

  async #join(client: Client, threadId: string, runId: string, input?: unknown): Promise<void> {
    await this.#options.follower.join(client, threadId, runId, input);
    this.#options.onJoin();
  }

  /** Blocks refreshing the thread until `work` has ended. */
  withoutRefresh<T>(work: () => Promise<T>): Promise<T> {
    return this.#refresher.blockDuring(work);
  }

  /**
   * Shows the newest state, in case another client changed the thread: after the active run, and not while an
   * earlier state is shown.
   */
  refresh(): void {
    this.#refresher.want();
  }

  /** The states of the thread's history, newest first. */
  async readStates(): Promise<readonly ThreadState[]> {
    if (this.#threadId === undefined) return [];
    const client = await this.#options.client();
    return client.threads.history({ params: { thread_id: this.#threadId }, body: { limit: MAX_STATES } });
  }

  /** The thread's states as entries of the history list. */
  async readHistory(): Promise<History> {
    const [states, recorded] = await Promise.all([this.readStates(), this.#readRecorded()]);
    return {
      recorded,
      entries: entriesOf(states),
      keys: keysOf(states),
      current: this.#checkpointId ?? (states[0] && checkpointIdOf(states[0])),
    };
  }

  /** The IDs of the thread's recorded runs; empty on platforms that do not record runs. */
  async #readRecorded(): Promise<readonly string[]> {
    if (this.#threadId === undefined) return [];
    const client = await this.#options.client();
    const runs = await client.runs.list({
      params: { thread_id: this.#threadId },
      query: { limit: MAX_RUNS },
    });
    return runs.flatMap(({ run_id = '', kwargs }) => (kwargs?.record === true ? [run_id] : []));
  }

  /** Shows the thread at a checkpoint, or at its newest state. */
  async checkout(checkpointId: string | undefined): Promise<void> {
    this.#options.follower.refuseWhileFollowing();
    this.#checkpointId = checkpointId;
    await this.withoutRefresh(() => this.show());
  }

  /**
   * Shows the thread before a message.
   * @throws Error when the thread has no state from before the message.
   */
  async checkoutBefore(messageId: string): Promise<void> {
    const found = checkpointBefore(await this.readStates(), this.#checkpointId, messageId);
    if (found === undefined) throw new Error(l10n.t('The thread has no state from before this message.'));
    await this.checkout(found);
  }

  /** The state at a checkpoint, or at the one that is shown. */
  async readState(checkpointId = this.#checkpointId): Promise<ThreadState> {
    const threadId = this.#requireThreadId();
    return readStateAt(await this.#options.client(), threadId, checkpointId);
  }

  /**
   * Writes changes to a state, which creates a new checkpoint, and shows the newest state.
   * @throws RequestError, for example when it is not clear which node wrote last.
   */
  async update({ values, as_node, checkpoint_id, read }: StateEdit): Promise<void> {
    this.#options.follower.refuseWhileFollowing();
    const thread_id = this.#requireThreadId();
    await this.withoutRefresh(async () => {
      const client = await this.#options.client();
      const at = checkpoint_id ?? this.#checkpointId;
      // Only differences from the state that the user edited are sent, so that other clients' changes are
      // kept.
      const before = await readStateAt(client, thread_id, read ?? at);
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

  dispose(): void {
    this.#refresher.close();
  }

  /** Begins the journal again, with the thread that is shown. */
  #reset(): void {
    this.#shownUntil.abort();
    this.#shownUntil = new AbortController();
    this.#journalThreadId = this.#threadId;
    this.#options.onReset();
    this.#options.journal.add({ type: 'reset', thread_id: this.#threadId });
  }

  #requireThreadId(): string {
    if (this.#threadId === undefined) throw new Error(l10n.t('No threads yet. Run a graph to start one.'));
    return this.#threadId;
  }

  async #play(client: Client, threadId: string, reading: ThreadReading): Promise<void> {
    const { journal, feedback, follower, onError } = this.#options;
    const signal = AbortSignal.any([follower.signal, this.#shownUntil.signal]);
    const checkpointId = this.#checkpointId;
    this.#shown = markOf(reading);
    try {
      await playThread(reading, { client, threadId, checkpointId, journal, feedback, signal, onError });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    // The run's input is not passed, because it may already be in the state that is shown.
    if (reading.isActive && reading.last?.run_id !== undefined && !signal.aborted)
      await this.#join(client, threadId, reading.last.run_id);
  }

  async #refresh(): Promise<void> {
    const threadId = this.#threadId;
    const shown = this.#shown;
    const client = await this.#options.client();
    if (threadId === undefined) return;
    const reading = await readThread(client, threadId, undefined);
    // If an action was started here in the meantime, it shows its own results.
    if (!this.#refresher.isFree || this.#shown !== shown || this.#threadId !== threadId) return;
    if (reading === undefined) {
      this.leave();
      return;
    }
    const { checkpointId, runId } = markOf(reading);
    if (checkpointId === shown?.checkpointId && runId === shown?.runId) return;
    await this.withoutRefresh(async () => {
      this.#reset();
      await this.#play(client, threadId, reading);
    });
  }
}

/** Whether another run has ended since the run with this ID did. */
function endedAfter(runs: readonly ListedRun[], runId: string): boolean {
  const own = runs.find(({ run_id }) => run_id === runId);
  return runs.some(
    ({ run_id, status, updated_at = '' }) =>
      run_id !== runId &&
      status !== 'running' &&
      status !== 'pending' &&
      own?.updated_at !== undefined &&
      updated_at > own.updated_at,
  );
}
