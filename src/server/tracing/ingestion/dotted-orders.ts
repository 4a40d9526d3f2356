import { RunRefused } from '../runs/refusal.ts';
import type { CheckedRun } from '../runs/run-fields.ts';
import type { StoredRuns } from './stored-runs.ts';

/** The positions of runs in a trace, from the request and from storage. */
export class DottedOrders {
  readonly #stored: StoredRuns;
  /** Dotted orders, by run. */
  readonly #orders = new Map<string, string>();

  constructor(stored: StoredRuns) {
    this.#stored = stored;
  }

  note(run: Pick<CheckedRun, 'id' | 'dottedOrder'>): void {
    this.#orders.set(run.id, run.dottedOrder);
  }

  /**
   * Checks that a child is directly below its parent, which also prevents cycles.
   * @throws RunRefused when its dotted_order does not begin with its parent's.
   */
  check(run: CheckedRun): void {
    if (run.parentId === undefined) return;
    const order = this.#orders.get(run.parentId) ?? this.#stored.find(run.parentId)?.dotted_order;
    if (order === undefined || run.dottedOrder.startsWith(`${order}.`)) return;
    throw new RunRefused(
      `dotted_order ${run.dottedOrder} of run_id:${run.id} does not begin with ${order}, that of its parent_run_id:${run.parentId}`,
      { type: 'dotted_order' },
    );
  }
}
