import type { Selectable, Updateable } from 'kysely';
import type { JsonObject } from '../../../contract/fields.ts';
import { documentContains } from '../../storage/dialect-expressions.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunTable } from '../../storage/state-schema.ts';
import type { Unit } from '../../storage/unit.ts';
import { findRun } from './run-queries.ts';

export type RunRow = Selectable<RunTable>;

/** The rows of a deployment's runs. */
export class RunStore {
  readonly #db: StateDatabase;
  readonly #deploymentId: string;
  constructor(db: StateDatabase, deploymentId: string) {
    this.#db = db;
    this.#deploymentId = deploymentId;
  }

  find(runId: string): Promise<RunRow | undefined> {
    const key = { run_id: runId, deployment_id: this.#deploymentId };
    return this.#db.find(findRun, key);
  }

  /** Refuses the unit as gone if the run has been deleted. */
  expectStored(unit: Unit, runId: string): void {
    unit.expect(findRun, { run_id: runId, deployment_id: this.#deploymentId }, 'gone');
  }

  /** The unfinished runs, oldest first. @param only returns only those with these ids. */
  listUnfinished(only?: ReadonlySet<string>): Promise<RunRow[]> {
    const runs = this.#db.selectFrom('runs');
    return (only === undefined ? runs : runs.where('run_id', 'in', [...only]))
      .selectAll()
      .where('deployment_id', '=', this.#deploymentId)
      .where('status', 'in', ['pending', 'running'])
      .orderBy('created_at')
      .orderBy('run_id')
      .execute();
  }

  /** The unfinished runs whose metadata contains the given one. */
  listUnfinishedWith(metadata: JsonObject): Promise<RunRow[]> {
    return this.#db
      .selectFrom('runs')
      .selectAll()
      .where('deployment_id', '=', this.#deploymentId)
      .where('status', 'in', ['pending', 'running'])
      .where(documentContains('metadata', metadata))
      .execute();
  }

  update(unit: Unit, runId: string, change: Updateable<RunTable>): void {
    unit.do(
      unit.build
        .updateTable('runs')
        .set({ updated_at: new Date().toISOString(), ...change })
        .where('run_id', '=', runId),
    );
  }

  delete(unit: Unit, runId: string): void {
    unit.do(unit.build.deleteFrom('runs').where('run_id', '=', runId));
  }

  /** The number of a run's last stored event; 0 when there is none. */
  async findLastEvent(runId: string): Promise<number> {
    const row = await this.#db
      .selectFrom('run_events')
      .select((expression) => expression.fn.max('last_seq').as('last'))
      .where('run_id', '=', runId)
      .executeTakeFirst();
    return row?.last ?? 0;
  }
}
