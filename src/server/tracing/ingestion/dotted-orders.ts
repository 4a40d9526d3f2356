import type { TracesDatabase } from '../database/traces-database.ts';
import { RunRefused } from './refusal.ts';
import type { CheckedRun } from './run-fields.ts';

/** The positions of runs in a trace, from the request and from storage. */
export class DottedOrders {
  readonly #db: TracesDatabase;
  readonly #workspace: number;
  /** By run; `undefined` for one that is not there. */
  readonly #orders = new Map<string, string | undefined>();

  constructor(db: TracesDatabase, workspace: number) {
    this.#db = db;
    this.#workspace = workspace;
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
    const order = this.#orderOf(run.parentId);
    if (order === undefined || run.dottedOrder.startsWith(`${order}.`)) return;
    throw new RunRefused(
      `dotted_order ${run.dottedOrder} of run_id:${run.id} does not begin with ${order}, that of its parent_run_id:${run.parentId}`,
      { type: 'dotted_order' },
    );
  }

  #orderOf(runId: string): string | undefined {
    if (this.#orders.has(runId)) return this.#orders.get(runId);
    const row = this.#db
      .statement('SELECT dotted_order FROM runs WHERE id = ? AND workspace = ?')
      .get(runId, this.#workspace);
    const order = typeof row?.dotted_order === 'string' ? row.dotted_order : undefined;
    this.#orders.set(runId, order);
    return order;
  }
}
