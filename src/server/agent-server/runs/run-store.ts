import type { Kysely, Selectable, Transaction, Updateable } from 'kysely';
import type { RunTable, StateSchema } from '../../storage/state-schema.ts';
import { findRun } from './run-queries.ts';

type Db = Kysely<StateSchema> | Transaction<StateSchema>;
export type RunRow = Selectable<RunTable>;

/** Rows of runs of one deployment. */
export class RunStore {
  readonly #db: Db;
  readonly #deploymentId: string;
  constructor(db: Db, deploymentId: string) {
    this.#db = db;
    this.#deploymentId = deploymentId;
  }

  async find(runId: string): Promise<RunRow | undefined> {
    const [row] = await findRun.run(this.#db, { run_id: runId, deployment_id: this.#deploymentId });
    return row;
  }

  /** Runs that have not ended, oldest first: what a server that starts must go on with. */
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

  async update(db: Db, runId: string, change: Updateable<RunTable>): Promise<void> {
    await db
      .updateTable('runs')
      .set({ updated_at: new Date().toISOString(), ...change })
      .where('run_id', '=', runId)
      .execute();
  }

  async delete(db: Db, runId: string): Promise<void> {
    await db.deleteFrom('runs').where('run_id', '=', runId).execute();
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
