import type { ModelBeginResult, ModelEndParams } from '../../../runtime/protocol/protocol.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { CallPrices } from '../../tracing/runs/call-cost.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import type { CostStore } from '../data/cost-store.ts';
import { capSentence, unenforceableSentence } from './cost-cap.ts';
import type { LiveRun, ReachedCap } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import { metadataOf } from './run-attempts.ts';

export interface RunCostsOptions {
  readonly db: Pick<StateDatabase, 'outlasting'>;
  readonly queue: CommitQueue;
  readonly store: CostStore;
  readonly live: LiveRuns;
  readonly prices: Pick<CallPrices, 'costOf' | 'nameOf'>;
  readonly log: Pick<LogBook, 'write'>;
  /** The dollars that all runs together may cost on a day (UTC); undefined without a cap. */
  maxPerDay(): number | undefined;
  /** Asks the runtime to stop a run. */
  stop(run: LiveRun): void;
}

/**
 * Adds up the costs of the model calls of runs with a cap, and refuses further calls once the cap is reached
 * (docs/decisions/0029-caps-are-asked-for.md).
 */
export class RunCosts {
  readonly #options: RunCostsOptions;
  /** Runs with a warning that their cap cannot be enforced. */
  readonly #warned = new WeakSet<LiveRun>();

  constructor(options: RunCostsOptions) {
    this.#options = options;
  }

  /**
   * Whether a run must ask before each model call. A replay needs a cap only if `allow_new` lets it call
   * models; otherwise the recording answers its calls.
   */
  hasCap({ identity: { kwargs } }: LiveRun): boolean {
    if (kwargs.replay != null && !kwargs.replay.allow_new) return false;
    return kwargs.max_cost != null || this.#options.maxPerDay() !== undefined;
  }

  /** Decides whether a run may make another model call. If not, the run is also stopped. */
  async begin(runId: string): Promise<ModelBeginResult> {
    const { live, stop } = this.#options;
    const run = live.find(runId);
    // Code that could not be stopped may continue after the end of its run.
    if (run === undefined || live.hasLeft(runId)) return { refused: 'The run has ended.' };
    const reached = run.reachedCap ?? (await this.#reachedCap(run));
    if (reached === undefined) return {};
    if (run.reachedCap === undefined) {
      run.reachedCap = reached;
      stop(run);
    }
    return { refused: capSentence(reached, run.cost) };
  }

  /** The cap that the run or its day has reached, if any. */
  async #reachedCap(run: LiveRun): Promise<ReachedCap | undefined> {
    const { db, queue, store, maxPerDay } = this.#options;
    const cap = run.identity.kwargs.max_cost ?? undefined;
    if (cap !== undefined && run.cost >= cap) return { of: 'run', cap };
    const perDay = maxPerDay();
    if (perDay === undefined) return undefined;
    // Costs that are still being stored, also for other threads, count too.
    await queue.waitUntilSettled();
    const spent = await db.outlasting(() => store.readDay(today()));
    return spent >= perDay ? { of: 'day', cap: perDay, spent } : undefined;
  }

  /** Adds the cost of a model call that has ended, or warns if the cost is unknown. */
  end({ run_id, started_at, extra, outputs }: ModelEndParams): void {
    const { live, queue, store, prices } = this.#options;
    const run = live.find(run_id);
    // Calls of code that could not be stopped do not count after the end of its run.
    if (run === undefined || live.hasLeft(run_id)) return;
    if (run.identity.kwargs.replay != null) {
      // It is not known which calls the recording answered, so as many are counted as were sent.
      if (run.sentModelCalls === 0) return;
      run.sentModelCalls--;
    }
    const call = { extra, outputs, startTime: started_at * 1000 };
    const cost = prices.costOf(call);
    if (cost === undefined) {
      this.#warn(run, unenforceableSentence(prices.nameOf(call)));
      return;
    }
    run.cost += cost;
    const added = { runId: run_id, day: today(), cost };
    queue
      .writeForRun(run.identity.threadId, (unit) => store.add(unit, added))
      .catch((error: unknown) => {
        run.storageFailure ??= error;
      });
  }

  /** Warns once per run, in the deployment's log and in the run's stream. */
  #warn(run: LiveRun, message: string): void {
    if (this.#warned.has(run)) return;
    this.#warned.add(run);
    const { runId, threadId } = run.identity;
    this.#options.log.write('WARNING', message, runId, threadId);
    run.stream.append([metadataOf(run, { cost_warning: message })]).catch((error: unknown) => {
      run.storageFailure ??= error;
    });
  }
}

/** The current day in UTC, as `YYYY-MM-DD`. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}
