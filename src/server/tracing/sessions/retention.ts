import type { Selectable } from 'kysely';
import type { TraceTier } from '../../../contract/tracing/runs.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { BoundStatement } from '../../storage/sync-database.ts';
import type { WriterContext } from '../context/writer-context.ts';
import type { RetentionSettingTable } from '../database/purge-schema.ts';
import { DAY_MICROS } from '../database/time.ts';

/** The default base and extended retention, in days (docs/interface/purging.md#retention). */
export const DEFAULT_DAYS: Readonly<Record<TraceTier, number>> = { shortlived: 14, longlived: 400 };

/** Says how long new traces of a project are kept. */
export interface Retention {
  readonly tier: TraceTier;
  readonly days: number;
}

/** A workspace's retention setting. */
export type RetentionSetting = Pick<
  Selectable<RetentionSettingTable>,
  'default_tier' | 'longlived_days' | 'shortlived_days'
>;

/** Reads the setting of a workspace; there is no row when the workspace has none. */
export function retentionSetting(workspace: number): BoundStatement<RetentionSetting> {
  return {
    sql: 'SELECT default_tier, longlived_days, shortlived_days FROM retention_settings WHERE workspace = ?',
    values: [workspace],
  };
}

/** Determines how long new traces are kept. @param tier the tier of the project; null when the workspace decides. */
export function retentionOf(setting: RetentionSetting | undefined, tier: TraceTier | null): Retention {
  const chosen = tier ?? (setting?.default_tier === 'longlived' ? 'longlived' : 'shortlived');
  const days = chosen === 'longlived' ? setting?.longlived_days : setting?.shortlived_days;
  return { tier: chosen, days: days ?? DEFAULT_DAYS[chosen] };
}

/**
 * Moves a trace to extended retention, because feedback or a rule requires it. Its blobs are moved too,
 * because the name of a blob contains the retention.
 */
export function upgradeTrace(context: WriterContext, workspace: number, traceId: string): void {
  const { db } = context;
  const trace = db.get(
    db.build.selectFrom('traces').selectAll().where('id', '=', traceId).where('workspace', '=', workspace),
  );
  if (trace === undefined || trace.tier === 'longlived') return;
  const [[setting]] = db.allOf([retentionSetting(workspace)]);
  const { days } = retentionOf(setting, 'longlived');
  db.run(
    db.build
      .updateTable('traces')
      .set({
        tier: 'longlived',
        ttl_days: days,
        upgraded: 1,
        expires_at: trace.first_received_at + days * DAY_MICROS,
      })
      .where('key', '=', trace.key),
  );
  moveBlobs(context, trace.key, days);
}

/** Moves the blobs of a trace to another retention, and changes the rows that refer to them. */
function moveBlobs({ db, blobs }: WriterContext, trace: number, days: number): void {
  const runs = db.all(
    db.build
      .selectFrom('runs')
      .select(['key', 'payloads'])
      .where('trace', '=', trace)
      .where('payloads', 'like', '%"blob"%'),
  );
  for (const run of runs) {
    const places = parseStored(run.payloads);
    const moved = Object.fromEntries(
      Object.entries(places).map(([kind, place]) => [
        kind,
        'blob' in place ? { ...place, blob: blobs.move(place.blob, days) } : place,
      ]),
    );
    db.run(
      db.build
        .updateTable('runs')
        .set({ payloads: JSON.stringify(moved) })
        .where('key', '=', run.key),
    );
  }
  const attachments = db.all(
    db.build.selectFrom('attachments').selectAll().where('trace', '=', trace).where('blob', 'is not', null),
  );
  for (const { run, name, blob } of attachments) {
    if (blob === null) continue;
    db.run(
      db.build
        .updateTable('attachments')
        .set({ blob: blobs.move(blob, days) })
        .where('run', '=', run)
        .where('name', '=', name),
    );
  }
}
