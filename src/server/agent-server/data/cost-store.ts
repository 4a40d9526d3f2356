import type { StateDatabase } from '../../storage/state-database.ts';
import type { Unit } from '../../storage/unit.ts';

/**
 * The stored costs of model calls, by run and by day. They are only stored for runs that have a cap, for
 * themselves or for the day.
 */
export class CostStore {
  readonly #db: StateDatabase;
  readonly #deploymentId: string;
  constructor(db: StateDatabase, deploymentId: string) {
    this.#db = db;
    this.#deploymentId = deploymentId;
  }

  /** Adds a cost in dollars to its run and its day (`YYYY-MM-DD`). */
  add(unit: Unit, { runId, day, cost }: { runId: string; day: string; cost: number }): void {
    const deployment_id = this.#deploymentId;
    unit.do(
      unit.build
        .updateTable('runs')
        .set((row) => ({ cost: row('cost', '+', cost) }))
        .where('run_id', '=', runId),
    );
    unit.do(
      unit.build
        .insertInto('daily_costs')
        .values({ deployment_id, day, cost })
        .onConflict((conflict) =>
          conflict
            .columns(['deployment_id', 'day'])
            .doUpdateSet((row) => ({ cost: row('daily_costs.cost', '+', cost) })),
        ),
    );
    // Earlier days are never read again.
    unit.do(
      unit.build.deleteFrom('daily_costs').where('deployment_id', '=', deployment_id).where('day', '<', day),
    );
  }

  /** The costs of a day (`YYYY-MM-DD`), in dollars. */
  async readDay(day: string): Promise<number> {
    const row = await this.#db
      .selectFrom('daily_costs')
      .select('cost')
      .where('deployment_id', '=', this.#deploymentId)
      .where('day', '=', day)
      .executeTakeFirst();
    return row?.cost ?? 0;
  }
}
