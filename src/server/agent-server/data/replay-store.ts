import { z } from 'zod';
import { Place, ReplayReport } from '../../../contract/agent-server/exchanges.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Unit } from '../../storage/unit.ts';

/**
 * The stored report of a replay. It only refers to the requests that the replay did not make, because they
 * are in the recording.
 */
const StoredReport = ReplayReport.extend({
  recorded_run_id: z.string(),
  unused: z.array(z.object({ ordinal: z.int(), place: Place })),
});
export type StoredReport = z.output<typeof StoredReport>;

/** The reports of replays that have ended; they are deleted with their thread. */
export class ReplayStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  put(unit: Unit, thread_id: string, run_id: string, report: StoredReport): void {
    const data = JSON.stringify(report);
    unit.do(
      unit.build
        .insertInto('replays')
        .values({ thread_id, run_id, data })
        .onConflict((conflict) => conflict.columns(['thread_id', 'run_id']).doUpdateSet({ data })),
    );
  }

  async read(threadId: string, runId: string): Promise<StoredReport | undefined> {
    const row = await this.#db
      .selectFrom('replays')
      .select('data')
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId)
      .executeTakeFirst();
    return row === undefined ? undefined : StoredReport.parse(parseStored(row.data));
  }
}
