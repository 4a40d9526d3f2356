import type { Selectable, Updateable } from 'kysely';
import type { StateDatabase, StateNow } from '../../storage/state-database.ts';
import type { RunTable } from '../../storage/state-schema.ts';
import { findRun } from './run-queries.ts';

export type RunRow = Selectable<RunTable>;

/** Rows of runs of one deployment. */
export class RunStore {
  readonly #db: StateDatabase;
  readonly #deploymentId: string;
  constructor(db: StateDatabase, deploymentId: string) {
    this.#db = db;
    this.#deploymentId = deploymentId;
  }

  find(runId: string): Promise<RunRow | undefined> {
    const key = { run_id: runId, deployment_id: this.#deploymentId };
    return this.#db.now((now) => findRun.get(now, key));
  }

  exists(now: StateNow, runId: string): boolean {
    return findRun.get(now, { run_id: runId, deployment_id: this.#deploymentId }) !== undefined;
  }

  /** Unfinished runs, oldest first. */
  unfinished(): Promise<RunRow[]> {
    return this.#db
      .selectFrom('runs')
      .selectAll()
      .where('deployment_id', '=', this.#deploymentId)
      .where('status', 'in', ['pending', 'running'])
      .orderBy('created_at')
      .orderBy('run_id')
      .execute();
  }

  update(now: StateNow, runId: string, change: Updateable<RunTable>): void {
    now.run(
      now.build
        .updateTable('runs')
        .set({ updated_at: new Date().toISOString(), ...change })
        .where('run_id', '=', runId),
    );
  }

  delete(now: StateNow, runId: string): void {
    now.run(now.build.deleteFrom('runs').where('run_id', '=', runId));
  }

  /** The number of the last event stored of a run; 0 when there is none. */
  async lastEvent(runId: string): Promise<number> {
    const row = await this.#db
      .selectFrom('run_events')
      .select((expression) => expression.fn.max('last_seq').as('last'))
      .where('run_id', '=', runId)
      .executeTakeFirst();
    return row?.last ?? 0;
  }
}
