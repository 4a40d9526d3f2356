import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import { isNotFound } from '../../../client/request-error.ts';
import type { Journal } from './journal.ts';
import type { QueuedRun } from './journal-entry.ts';
import { type RunBody, repeatedRunBody } from './repeated-run-body.ts';
import type { ListedRun } from './thread-reading.ts';

interface RunQueueOptions {
  readonly client: () => Promise<Client>;
  readonly threadId: () => string | undefined;
  /** The ID of the run that the panel follows. It does not count as queued, even if it has not begun. */
  readonly followed: () => string | undefined;
  readonly journal: Pick<Journal, 'add'>;
}

/**
 * How to end the current run when a message is sent before its turn: with or without keeping the run's work.
 */
type Urgency = 'interrupt' | 'rollback';

/** The thread whose queue is changed. The panel may show another one before the change has ended. */
interface QueuedThread {
  readonly client: Client;
  readonly thread_id: string;
}

type KnownRun = ListedRun & { readonly run_id: string };
/** A queued run: unchanged, or with another input. */
interface Wanted {
  readonly run: KnownRun;
  readonly input?: unknown;
}

/** The maximum number of queued runs that are shown. */
const MAX_RUNS = 100;

/**
 * The queued runs of a thread. The server keeps them, pending, so that every panel on the thread shows the
 * same queue, and closing or reloading a panel loses nothing. A queued run cannot be changed, so a
 * replacement is created before the run is removed.
 */
export class RunQueue {
  readonly #options: RunQueueOptions;
  /** The queue that was last sent to the panel, as JSON. */
  #sent = '[]';
  /**
   * The IDs of replacements, by the IDs of the runs that they replaced. A panel may still send the latter.
   */
  readonly #replacements = new Map<string, string>();
  /** The last change. Changes are made one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RunQueueOptions) {
    this.#options = options;
  }

  /** Makes the next refresh send all queued runs, because the panel was reset. */
  forget(): void {
    this.#sent = '[]';
  }

  /** Sends the panel the queue if it has changed. */
  async refresh(): Promise<void> {
    const runs = (await this.#read(this.#options.threadId())).map(
      ({ run_id, kwargs }): QueuedRun => ({ run_id, input: kwargs?.input }),
    );
    const text = JSON.stringify(runs);
    if (text === this.#sent) return;
    this.#sent = text;
    this.#options.journal.add({ type: 'queue', runs });
  }

  /** Adds a run at the end; with an urgency, ends the current run so that the new one is next. */
  add(body: RunBody, urgency?: Urgency): Promise<void> {
    return this.#change(async (waiting, thread) => {
      // If others are queued, the server would end them too.
      const strategy = urgency === undefined || waiting.length > 0 ? 'enqueue' : urgency;
      const made = await thread.client.runs.create({
        params: { thread_id: thread.thread_id },
        body: { ...body, multitask_strategy: strategy },
      });
      if (urgency !== undefined && waiting.length > 0)
        await this.#hurry([...waiting, made], made.run_id, urgency, thread);
    });
  }

  /** Replaces the input of a queued run. */
  edit(runId: string, input: unknown): Promise<void> {
    return this.#change(async (waiting, thread) => {
      const at = this.#placeOf(runId, waiting);
      const wanted = waiting.map((run, index) => (index === at ? { run, input } : { run }));
      await this.#arrange(waiting, wanted, thread);
    });
  }

  /** Moves a queued run. @param by how many places towards the end; negative towards the beginning */
  move(runId: string, by: number): Promise<void> {
    return this.#change(async (waiting, thread) => {
      const from = this.#placeOf(runId, waiting);
      const to = Math.min(Math.max(from + by, 0), waiting.length - 1);
      const wanted = waiting.map((run) => ({ run }));
      wanted.splice(to, 0, ...wanted.splice(from, 1));
      await this.#arrange(waiting, wanted, thread);
    });
  }

  /** Removes a queued run. */
  remove(runId: string): Promise<void> {
    return this.#change(async (waiting, thread) => {
      const run = waiting[this.#placeOf(runId, waiting)];
      if (run === undefined || !(await this.#take(run.run_id, thread))) throw alreadySent();
    });
  }

  /** Ends the current run, so that this one is next. */
  sendNow(runId: string, urgency: Urgency): Promise<void> {
    return this.#change((waiting, thread) => this.#hurry(waiting, runId, urgency, thread));
  }

  /** Moves a run to the beginning of the queue, and ends the current run. */
  async #hurry(
    waiting: readonly KnownRun[],
    runId: string,
    action: Urgency,
    thread: QueuedThread,
  ): Promise<void> {
    const from = this.#placeOf(runId, waiting);
    const wanted = waiting.map((run) => ({ run }));
    wanted.unshift(...wanted.splice(from, 1));
    await this.#arrange(waiting, wanted, thread);
    const { client, thread_id } = thread;
    const run_id = this.#options.followed();
    // The followed run belongs to the thread that the panel shows now.
    if (run_id === undefined || this.#options.threadId() !== thread_id) return;
    await client.runs.cancel({ params: { thread_id, run_id }, query: { action } });
  }

  /** Reorders queued runs, or changes their inputs. */
  async #arrange(
    waiting: readonly KnownRun[],
    wanted: readonly Wanted[],
    thread: QueuedThread,
  ): Promise<void> {
    const first = wanted.findIndex(({ run, input }, at) => run !== waiting[at] || input !== undefined);
    if (first < 0) return;
    const { client, thread_id } = thread;
    const copies = new Map<string, string>();
    for (const { run, input = run.kwargs?.input } of wanted.slice(first)) {
      const made = await client.runs.create({ params: { thread_id }, body: repeatedRunBody(run, input) });
      copies.set(run.run_id, made.run_id);
    }
    // The last one is removed first, so that no run begins before one that was ahead of it.
    for (const { run_id } of waiting.slice(first).toReversed()) {
      const copy = copies.get(run_id);
      // Each was copied, because from `first` on, both lists have the same runs.
      if (copy === undefined) continue;
      if (await this.#take(run_id, thread)) {
        this.#replacements.set(run_id, copy);
        continue;
      }
      // The run has begun, so its replacement is removed instead.
      await this.#take(copy, thread);
      if (wanted.some(({ run, input }) => run.run_id === run_id && input !== undefined)) throw alreadySent();
    }
  }

  /** Removes a run. @returns false when it is no longer waiting. */
  async #take(run_id: string, { client, thread_id }: QueuedThread): Promise<boolean> {
    const params = { thread_id, run_id };
    try {
      const { status } = await client.runs.get({ params });
      if (status !== 'pending') return false;
      await client.runs.cancel({ params, query: { action: 'rollback' } });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /**
   * Changes the queue, after earlier changes, and sends the queue to the panel even if the change fails.
   * @throws Error if there is no thread; the error of `work`
   */
  #change(work: (waiting: readonly KnownRun[], thread: QueuedThread) => Promise<void>): Promise<void> {
    const change = this.#last.then(async () => {
      const thread_id = this.#options.threadId();
      if (thread_id === undefined) throw new Error(l10n.t('No thread yet. Run the graph to start one.'));
      try {
        await work(await this.#read(thread_id), { client: await this.#options.client(), thread_id });
      } finally {
        await this.refresh();
      }
    });
    // The failure is reported to the caller that asked for the change.
    this.#last = change.catch(() => {});
    return change;
  }

  /** The index of a queued run, or of its replacement. @throws Error if the run is no longer queued */
  #placeOf(runId: string, waiting: readonly KnownRun[]): number {
    let id = runId;
    for (;;) {
      const replacement = this.#replacements.get(id);
      if (replacement === undefined) break;
      id = replacement;
    }
    const at = waiting.findIndex(({ run_id }) => run_id === id);
    if (at < 0) throw alreadySent();
    return at;
  }

  /** The queued runs, the next one first. */
  async #read(thread_id: string | undefined): Promise<KnownRun[]> {
    const { client, followed } = this.#options;
    if (thread_id === undefined) return [];
    const runs = await (await client()).runs.list({
      params: { thread_id },
      query: { status: 'pending', limit: MAX_RUNS },
    });
    return runs
      .flatMap(({ run_id, ...run }) =>
        run_id === undefined || run_id === followed() ? [] : [{ ...run, run_id }],
      )
      .reverse();
  }
}

function alreadySent(): Error {
  return new Error(l10n.t('The message is no longer queued. It was sent or removed in the meantime.'));
}
