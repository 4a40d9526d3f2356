import type { Selectable } from 'kysely';
import type { Cron, CronCount, CronSearch } from '../../../contract/agent-server/crons.ts';
import type { Claims } from '../../storage/claims.ts';
import { documentContains, orderNullsLowest } from '../../storage/dialect-expressions.ts';
import { isRefused } from '../../storage/refused.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { CronTable } from '../../storage/state-schema.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Unit, Write } from '../../storage/unit.ts';

export type CronRow = Selectable<CronTable>;

/** The rows of a deployment's crons. */
export class CronStore {
  readonly #db: StateDatabase;
  readonly deploymentId: string;
  constructor(db: StateDatabase, deploymentId: string) {
    this.#db = db;
    this.deploymentId = deploymentId;
  }

  /** How servers that share crons decide which of them starts a run. */
  get claims(): Claims {
    return this.#db.claims;
  }

  find(cronId: string): Promise<CronRow | undefined> {
    return this.#db
      .selectFrom('crons')
      .selectAll()
      .where('cron_id', '=', cronId)
      .where('deployment_id', '=', this.deploymentId)
      .executeTakeFirst();
  }

  async insert(row: CronRow): Promise<void> {
    await this.#db.insertInto('crons').values(row).execute();
  }

  /**
   * Changes a cron, unless it has been changed or deleted since it was read.
   * @returns whether it was changed.
   */
  update(seen: CronRow, change: Partial<CronRow>): Promise<boolean> {
    return this.#commitUnlessGone((unit) => unit.expect(this.#change(unit, seen, change), 'gone'));
  }

  /** Sets when a due cron runs next. The unit is refused as gone if the cron has been changed or deleted. */
  advance(unit: Unit, seen: CronRow, next_run_date: string | null): void {
    const change = this.#change(unit, seen, { next_run_date });
    unit.expect(change.where('next_run_date', '=', seen.next_run_date), 'gone');
  }

  /** Sets when a due cron runs next, unless the cron has been changed or deleted. */
  async skip(seen: CronRow, next_run_date: string | null): Promise<void> {
    await this.#commitUnlessGone((unit) => this.advance(unit, seen, next_run_date));
  }

  /** Commits a write. @returns whether it was stored; false if the unit was refused as gone. */
  async #commitUnlessGone(write: Write): Promise<boolean> {
    try {
      await this.#db.commit(write);
      return true;
    } catch (error) {
      if (!isRefused(error, 'gone')) throw error;
      return false;
    }
  }

  #change({ build }: Pick<Unit, 'build'>, seen: CronRow, change: Partial<CronRow>) {
    return build
      .updateTable('crons')
      .set(change)
      .where('cron_id', '=', seen.cron_id)
      .where('deployment_id', '=', this.deploymentId)
      .where('updated_at', '=', seen.updated_at);
  }

  /** Deletes a cron. @returns whether there was one with this ID. */
  async delete(cronId: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('crons')
      .where('cron_id', '=', cronId)
      .where('deployment_id', '=', this.deploymentId)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** The crons that are due, the most overdue first. */
  listDue(now: string): Promise<CronRow[]> {
    return this.#db
      .selectFrom('crons')
      .selectAll()
      .where('deployment_id', '=', this.deploymentId)
      .where('next_run_date', '<=', now)
      .orderBy('next_run_date')
      .execute();
  }

  /** Crons that will run again, in no particular order. */
  listScheduled(): Promise<CronRow[]> {
    return this.#db
      .selectFrom('crons')
      .selectAll()
      .where('deployment_id', '=', this.deploymentId)
      .where('next_run_date', 'is not', null)
      .execute();
  }

  /** The time at which the first cron that is not due yet becomes due. */
  async findEarliest(after: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('crons')
      .select('next_run_date')
      .where('deployment_id', '=', this.deploymentId)
      .where('next_run_date', '>', after)
      .orderBy('next_run_date')
      .limit(1)
      .executeTakeFirst();
    return row?.next_run_date ?? undefined;
  }

  search(request: CronSearch): Promise<CronRow[]> {
    const order = request.sort_order ?? 'desc';
    return this.#selectMatching(request)
      .selectAll()
      .orderBy(request.sort_by ?? 'created_at', orderNullsLowest(order))
      .orderBy('cron_id', order)
      .limit(request.limit)
      .offset(request.offset)
      .execute();
  }

  async count(filter: CronCount): Promise<number> {
    const row = await this.#selectMatching(filter)
      .select((expression) => expression.fn.countAll<number>().as('count'))
      .executeTakeFirst();
    return row?.count ?? 0;
  }

  #selectMatching(filter: CronCount) {
    let query = this.#db.selectFrom('crons').where('deployment_id', '=', this.deploymentId);
    if (filter.assistant_id != null) query = query.where('assistant_id', '=', filter.assistant_id);
    if (filter.thread_id != null) query = query.where('thread_id', '=', filter.thread_id);
    if (filter.enabled != null) query = query.where('enabled', '=', filter.enabled ? 1 : 0);
    if (filter.metadata != null && Object.keys(filter.metadata).length > 0) {
      query = query.where(documentContains('metadata', filter.metadata));
    }
    return query;
  }
}

/** A cron in the wire format. */
export function toCron(row: CronRow): Cron {
  return {
    cron_id: row.cron_id,
    assistant_id: row.assistant_id,
    thread_id: row.thread_id,
    on_run_completed: row.on_run_completed,
    end_time: row.end_time,
    schedule: row.schedule,
    timezone: row.timezone,
    created_at: row.created_at,
    updated_at: row.updated_at,
    user_id: row.user_id,
    payload: parseStored(row.payload),
    next_run_date: row.next_run_date,
    metadata: parseStored(row.metadata),
    enabled: row.enabled !== 0,
  };
}
