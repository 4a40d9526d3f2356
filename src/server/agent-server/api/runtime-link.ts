import type { NotificationHandlers, RequestHandlers } from '../../../runtime/protocol/connection.ts';
import type {
  BlockingCall,
  ServerNotifications,
  ServerRequests,
} from '../../../runtime/protocol/protocol.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import { isRefused } from '../../storage/refused.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { Write } from '../../storage/unit.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import type { ItemStore } from '../data/items/item-store.ts';
import type { RunStore } from '../data/run-store.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { Replays } from '../recordings/replays.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { RunCosts } from '../runs/run-costs.ts';
import type { CustomRoutes } from '../runtime/custom-routes.ts';

/** The thread for which a runtime stores something, and the run, if there is one. */
interface Owner {
  readonly run_id: string | null;
  readonly thread_id: string;
}

export interface RuntimeLinkOptions {
  readonly db: Pick<StateDatabase, 'outlasting'>;
  readonly queue: CommitQueue;
  readonly checkpoints: CheckpointStore;
  readonly runs: RunStore;
  readonly items: ItemStore;
  readonly log: LogBook;
  readonly live: LiveRuns;
  readonly recorder: Pick<Recorder, 'record' | 'recordPart'>;
  readonly replays: Pick<Replays, 'answer' | 'readPart'>;
  readonly costs: Pick<RunCosts, 'begin' | 'end'>;
  /** Receives the bodies of the app's responses. */
  readonly customRoutes: Pick<CustomRoutes, 'writeBody'>;
  /** Called when a superstep of a run is about to be stored. */
  onSuperstep(run: LiveRun): void;
  /** Called when a write for a thread failed that does not belong to a run. */
  onRefused(threadId: string, error: unknown): void;
  /** Called when the user's code has blocked the event loop of its runtime. */
  readonly onBlocking: (call: BlockingCall) => void;
}

const LEVELS = { debug: 'DEBUG', info: 'INFO', warning: 'WARNING', error: 'ERROR' } as const;

/** The server's side of the runtime protocol for one deployment: stores checkpoints, events and items. */
export function runtimeLink(options: RuntimeLinkOptions): {
  requests: RequestHandlers<ServerRequests>;
  notifications: NotificationHandlers<ServerNotifications>;
} {
  const { db, queue, checkpoints, runs, items, log, live, customRoutes, recorder, replays, costs } = options;

  /**
   * Stores a write for a thread. If that fails, the run ends and stores nothing more, because later
   * checkpoints depend on this write. Outside of runs, the request that waits for it fails (see
   * `ThreadStates.update`).
   */
  function store({ run_id: runId, thread_id }: Owner, write: Write): void {
    if (runId !== null && live.hasLeft(runId)) return;
    const run = runId === null ? undefined : live.find(runId);
    const writeUnlessUndone: Write = (unit) => {
      if (run?.storageFailure !== undefined) throw run.storageFailure;
      if (runId !== null && mayBeUndone(runId)) runs.expectStored(unit, runId);
      write(unit);
    };
    const stored =
      runId === null
        ? queue.write(thread_id, writeUnlessUndone)
        : queue.writeForRun(thread_id, writeUnlessUndone);
    stored.catch((error: unknown) => {
      // The run or the thread has been deleted in the meantime, and its data with it.
      if (isRefused(error, 'gone')) return;
      if (runId === null) options.onRefused(thread_id, error);
      // The write that failed first has already reported this failure.
      if (run?.storageFailure === error) return;
      if (run !== undefined) run.storageFailure ??= error;
      log.write('ERROR', `Could not store a checkpoint: ${String(error)}`, runId ?? undefined);
    });
  }

  /**
   * Whether a run may have been rolled back and deleted. The runtime's last writes may arrive after the end
   * of the run, and must not restore deleted rows.
   */
  function mayBeUndone(runId: string): boolean {
    const run = live.find(runId);
    return run === undefined || run.cancelled?.action === 'rollback';
  }

  return {
    notifications: {
      'run.events': ({ run_id, events, at_once }) => {
        const run = live.find(run_id);
        if (run === undefined || live.hasLeft(run_id)) return;
        const added = run.streamedUpdates?.withoutRepeats(events) ?? events;
        if (added.length === 0) return;
        run.stream.append(added, at_once).catch((error: unknown) => {
          run.storageFailure ??= error;
        });
      },
      'checkpoints.put': (put) => {
        const run = put.run_id === null ? undefined : live.find(put.run_id);
        const eventsBefore = run?.stream.lastAssigned ?? null;
        store(put, (unit) => checkpoints.put(unit, put, eventsBefore));
        // Events of the superstep may follow in the same message, which is handled synchronously.
        if (run !== undefined && put.checkpoint_ns === '') queueMicrotask(() => options.onSuperstep(run));
      },
      'checkpoints.put_writes': (put) => store(put, (unit) => checkpoints.putWrites(unit, put)),
      'exchange.record': (exchange) => recorder.record(exchange),
      'model.end': (call) => costs.end(call),
      'http.body': (part) => customRoutes.writeBody(part),
      log: ({ level, message, run_id, blocking }) => {
        if (blocking !== undefined) options.onBlocking(blocking);
        const run = run_id === undefined ? undefined : live.find(run_id);
        log.write(LEVELS[level], message, run_id, run?.identity.threadId);
      },
    },
    requests: {
      'checkpoints.sync': async () => {
        await queue.waitUntilSettled();
        return {};
      },
      'checkpoints.get': async (place) => {
        await queue.waitUntilSettled(place.thread_id);
        return { tuple: await db.outlasting(() => checkpoints.get(place)) };
      },
      'checkpoints.list': async (params) => {
        await queue.waitUntilSettled(params.thread_id);
        return { tuples: await db.outlasting(() => checkpoints.list(params)) };
      },
      'checkpoints.delete_thread': async ({ thread_id }) => {
        await db.outlasting(() =>
          checkpoints.deleteThread(thread_id, (write) => queue.write(thread_id, write)),
        );
        return {};
      },
      'model.begin': ({ run_id }) => costs.begin(run_id),
      'exchange.answer': (asked) => replays.answer(asked),
      'exchange.read_part': (asked) => db.outlasting(() => replays.readPart(asked)),
      'exchange.record_part': async (part) => {
        await recorder.recordPart(part);
        return {};
      },
      'store.batch': async ({ operations }) => ({ answers: await items.batch(operations) }),
    },
  };
}
